export function isDate(text: string): boolean {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** RFC 3339 `full-time`. A leap second is accepted only where it can occur: at 23:59:60 UTC. */
export function isTime(text: string): boolean {
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/.exec(text);
  if (found === null) return false;
  const [hour, minute, second] = found.slice(1, 4).map(Number) as [number, number, number];
  const offsetHour = Number(found[5] ?? 0);
  const offsetMinute = Number(found[6] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (found[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 2_880) % 1_440 === 1_439;
}

export function isDateTime(text: string): boolean {
  return /^.{10}[Tt]/.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** ISO 8601 as RFC 3339 lists it: weeks alone, or date and time parts without gaps. */
export function isDuration(text: string): boolean {
  if (/^P[0-9]+W$/.test(text)) return true;
  const found = /^P([0-9YMD]*)(?:T([0-9HMS]+))?$/.exec(text);
  if (found === null) return false;
  const date = found[1] ?? '';
  const time = found[2];
  if (date === '' && time === undefined) return false;
  const isDatePart = /^(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?$/.test(date);
  return (
    isDatePart && (time === undefined || /^(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)$/.test(time))
  );
}
