#ifndef HEDDLE_TERMIOS_H
#define HEDDLE_TERMIOS_H

typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;

#define NCCS 32

struct termios {
    tcflag_t c_iflag;
    tcflag_t c_oflag;
    tcflag_t c_cflag;
    tcflag_t c_lflag;
    cc_t c_line;
    cc_t c_cc[NCCS];
    speed_t c_ispeed;
    speed_t c_ospeed;
};

#define VTIME 5
#define VMIN 6
#define ICANON 0000002
#define ECHO 0000010
#define ISIG 0000001
#define IXON 0002000
#define ICRNL 0000400
#define OPOST 0000001
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2

int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);

#endif
