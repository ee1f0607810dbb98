import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from './address-guard.ts';
import { HttpAddressError } from './http-address-error.ts';

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/**
 * The look-up of a connection, which dials what it answers and nothing else. One forbidden address among those of a name
 * refuses the name. Addresses that are written in the URL are not looked up.
 */
export function guardedLookup(resolve: ResolveHost): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = async (): Promise<void> => {
      const found = await checkedAddresses(hostname, resolve);
      if (found instanceof Error) callback(found, '');
      else if (all === true) callback(null, [...found]);
      else callback(null, found[0].address, found[0].family);
    };
    void answer();
  };
}

async function checkedAddresses(
  hostname: string,
  resolve: ResolveHost,
): Promise<Error | readonly [ResolvedAddress, ...ResolvedAddress[]]> {
  try {
    const [first, ...others] = await resolve(hostname);
    if (first === undefined)
      return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    const forbidden = [first, ...others].find(({ address }) => isForbiddenAddress(address));
    return forbidden === undefined ? [first, ...others] : new HttpAddressError(hostname, forbidden.address);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What the resolver of the machine says. */
export const resolveHost: ResolveHost = async (hostname) => {
  const { lookup } = await import('node:dns/promises');
  return lookup(hostname, { all: true });
};
