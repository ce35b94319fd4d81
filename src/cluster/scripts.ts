/**
 * What happens at once on the server, as scripts of Redis. Together they are why every part of a search is counted once: a part is
 * _open_ from when it is made until the first who has explored it records that; its counts, what is left of it and the end of the
 * search are written in the same step. Whoever comes later is told that it is known, and drops what it has.
 *
 * KEYS of all: the search, its open parts, the parts whose children are not published, findings, what was said, and the tokens of
 * what was known in this generation.
 */

/** Only of a search that runs, and in the generation that the caller works for. */
const expectRunning = `
  if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return {'over'} end
  if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return {'over'} end`;

/**
 * ARGV[2]: the token of what all know that the caller has merged with its own; [3], [4]: all that, and its token. Empty: it has
 * nothing new. Then it is enough that the server has known what the caller knows, in this generation: what was added since fits. A
 * server that was killed may have forgotten it.
 */
const takeIn = `
  local token = redis.call('HGET', KEYS[1], 'token')
  if ARGV[3] ~= '' then
    if token ~= ARGV[2] then return {'knowledge', token, redis.call('HGET', KEYS[1], 'knowledge') or ''} end
    redis.call('HSET', KEYS[1], 'knowledge', ARGV[3], 'token', ARGV[4])
    redis.call('SADD', KEYS[6], ARGV[4])
  elseif redis.call('SISMEMBER', KEYS[6], ARGV[2]) == 0 then
    return {'knowledge', token, redis.call('HGET', KEYS[1], 'knowledge') or ''}
  end`;

const RESULT_SECONDS = 7 * 24 * 60 * 60;

/** Parts are no longer needed; results are kept for a week. */
const close = `
  local function close(state)
    local time = redis.call('TIME')
    redis.call('HSET', KEYS[1], 'state', state, 'endedMs', time[1] .. string.format('%03d', math.floor(time[2] / 1000)))
    redis.call('DEL', KEYS[2], KEYS[3], KEYS[6])
    for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ${RESULT_SECONDS}) end
  end`;

/**
 * ARGV[5]: the part that was explored; [6]: JSON: numbers to add up; [7]: JSON: findings, as key, text, preemptions; [8]: JSON:
 * what was said; [9]: the change of what is left; [10]: the most rounds of loops; [11]: 1 if the search is to end here;
 * then the name and text of each child.
 */
const record = `
  ${expectRunning}
  if redis.call('HEXISTS', KEYS[2], ARGV[5]) == 0 then
    return {'known', redis.call('HGET', KEYS[3], ARGV[5]) or ''}
  end
  ${takeIn}
  ${close}
  redis.call('HDEL', KEYS[2], ARGV[5])
  for field, number in pairs(cjson.decode(ARGV[6])) do
    redis.call('HINCRBY', KEYS[1], field, string.format('%.0f', number))
  end
  for _, finding in ipairs(cjson.decode(ARGV[7])) do
    local known = redis.call('HGET', KEYS[4], finding[1])
    if not known or cjson.decode(known)[2] > finding[3] then
      redis.call('HSET', KEYS[4], finding[1], cjson.encode({finding[2], finding[3]}))
    end
  end
  for _, sentence in ipairs(cjson.decode(ARGV[8])) do redis.call('SADD', KEYS[5], sentence) end
  redis.call('HINCRBYFLOAT', KEYS[1], 'left', ARGV[9])
  if tonumber(ARGV[10]) > tonumber(redis.call('HGET', KEYS[1], 'deepest')) then
    redis.call('HSET', KEYS[1], 'deepest', ARGV[10])
  end
  if ARGV[11] == '1' then
    close('done')
    return {'recorded'}
  end
  for i = 12, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
  if #ARGV > 11 then
    local names = {}
    for i = 12, #ARGV, 2 do table.insert(names, ARGV[i]) end
    redis.call('HSET', KEYS[3], ARGV[5], table.concat(names, ' '))
  end
  if redis.call('HLEN', KEYS[2]) == 0 then close('done') end
  return {'recorded'}`;

/** The program has learned something, and all that was explored is void. ARGV[5], [6]: name and text of the first part. */
const restart = `
  ${expectRunning}
  ${takeIn}
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 2) == 'n:' then redis.call('HDEL', KEYS[1], field) end
  end
  redis.call('DEL', KEYS[6])
  redis.call('SADD', KEYS[6], redis.call('HGET', KEYS[1], 'token'))
  redis.call('HINCRBY', KEYS[1], 'generation', 1)
  redis.call('HSET', KEYS[1], 'left', 1)
  redis.call('HSET', KEYS[2], ARGV[5], ARGV[6])
  return {'recorded'}`;

/** ARGV[1]: the state; then fields and values. One of the open parts is kept. */
const end = `
  if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
  ${close}
  local rest = redis.call('HRANDFIELD', KEYS[2], 1, 'WITHVALUES')
  if rest[2] then redis.call('HSET', KEYS[1], 'rest', rest[2]) end
  for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  close(ARGV[1])
  return 1`;

/** Like `end`, for who works for a generation: ARGV[1]; then as there. */
const fail = `
  ${expectRunning}
  ${close}
  for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  close(ARGV[2])
  return {'recorded'}`;

export const scripts = { record, restart, end, fail } as const;
export type ScriptName = keyof typeof scripts;
