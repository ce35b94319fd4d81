/**
 * A manual reset event whose waiters look at it before they say that they wait. If it is set in between, the setter sees nobody,
 * and nobody opens the gate any more: a `deadlock`, with two preemptions.
 */
import { hastyWaiter, resetEvent } from './reset-event.js';

export default resetEvent(hastyWaiter);
