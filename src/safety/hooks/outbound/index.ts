export { OutboundHooks } from './outbound-hooks.ts';
export { outboundLabel } from './outbound-label.ts';
export { signingKey } from './signing-key.ts';
