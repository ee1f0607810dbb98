const BRAND = Symbol.for('herma.http-address');

/** A host name leads to an address that is not dialled: see `isForbiddenAddress`. */
export class HttpAddressError extends Error {
  readonly [BRAND] = true;

  constructor(hostname: string, address: string) {
    super(
      `${hostname} leads to ${address}, a link-local or metadata address, which is not dialled unless the URL names it`,
    );
    this.name = 'HttpAddressError';
  }

  /** True for errors of this class from any copy of the package. */
  static isInstance(value: unknown): value is HttpAddressError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}
