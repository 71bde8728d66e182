import { partyOf } from '../../../../runtime/ip-address.ts';
import { remembered } from './remembered.ts';

/** The party behind an address, as `partyOf` computes it; a text that is no address is returned unchanged, and `''` for none. */
export const partyAt: (address: string | undefined) => string = /* @__PURE__ */ remembered((address) =>
  address === undefined ? '' : (partyOf(address) ?? address),
);
