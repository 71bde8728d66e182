/** Far more than processes that write the same record at once can cause. */
const MAX_RACES = 1000;

/**
 * For loops that write a record only if nobody else has changed it meanwhile, and look again when somebody has: throws when that has happened
 * too often, because the store then never writes what it is told to.
 */
export function refuseRace(lost: number): void {
  if (lost >= MAX_RACES) throw new Error(`The store has refused to change a record ${MAX_RACES} times in a row.`);
}
