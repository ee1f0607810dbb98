'use strict';

/**
 * Refuses every connection and name look-up that leaves this machine. Loaded into each test worker by `isolate.ts`, and by
 * NODE_OPTIONS into every Node.js process that a test starts with its own environment. Other programs are not held back.
 */

const dgram = require('node:dgram');
const dns = require('node:dns');
const module_ = require('node:module');
const net = require('node:net');

const GUARDED = Symbol.for('herma.test.no-network');

function isLoopback(host) {
  if (host === undefined || host === null || host === '') return true;
  const name = String(host).toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost') || name === '0.0.0.0' || name === '::') return true;
  if (net.isIPv4(name)) return name.startsWith('127.');
  if (!net.isIPv6(name)) return false;
  return name === '::1' || name.startsWith('::ffff:127.') || /^::ffff:7f[0-9a-f]{2}:/.test(name);
}

function assertLoopback(host) {
  if (isLoopback(host)) return;
  const error = new Error(`a test tried to reach ${String(host)}: tests may only talk to this machine`);
  error.code = 'ERR_TEST_NETWORK';
  throw error;
}

/** The host of any of the forms that `net.Socket.prototype.connect` takes; undefined for a path and for the default. */
function hostOfConnect(args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const second = Array.isArray(args[0]) ? args[0][1] : args[1];
  if (typeof first === 'object' && first !== null) return first.path ? undefined : first.host;
  return typeof second === 'string' ? second : undefined;
}

function guardSockets() {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function guardedConnect(...args) {
    assertLoopback(hostOfConnect(args));
    return connect.apply(this, args);
  };
  const datagramConnect = dgram.Socket.prototype.connect;
  dgram.Socket.prototype.connect = function guardedConnect(...args) {
    assertLoopback(typeof args[1] === 'string' ? args[1] : undefined);
    return datagramConnect.apply(this, args);
  };
  const send = dgram.Socket.prototype.send;
  dgram.Socket.prototype.send = function guardedSend(...args) {
    assertLoopback(args.slice(1).find((argument) => typeof argument === 'string'));
    return send.apply(this, args);
  };
}

function guardNames() {
  for (const owner of [dns, dns.promises]) {
    for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt', 'resolveSrv', 'reverse']) {
      const original = owner[name];
      owner[name] = function guardedLookup(host, ...rest) {
        assertLoopback(host);
        return original.call(this, host, ...rest);
      };
    }
  }
}

if (globalThis[GUARDED] === undefined) {
  globalThis[GUARDED] = true;
  guardSockets();
  guardNames();
  module_.syncBuiltinESMExports();
}
