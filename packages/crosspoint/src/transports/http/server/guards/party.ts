import { partyOf } from '../../../../runtime/ip-address.ts';
import { remembered } from './remembered.ts';

/** What stands for whoever is at an address: see `partyOf`. What is no address stands for itself, and is empty where there is none. */
export const partyAt: (address: string | undefined) => string = /* @__PURE__ */ remembered((address) =>
  address === undefined ? '' : (partyOf(address) ?? address),
);
