/** Many more than processes writing one record at once can cause. */
const MAX_RACES = 1000;

/**
 * For loops that write a record if its version has not changed, and read it again if it has: throws after 1,000 lost attempts, because
 * the store then never accepts a write.
 */
export function refuseRace(lost: number): void {
  if (lost >= MAX_RACES) throw new Error(`The store has refused to change a record ${MAX_RACES} times in a row.`);
}
