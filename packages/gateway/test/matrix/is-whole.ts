/** Whether every cell is tried (`npm run matrix`, four minutes of processor time); otherwise those at the ends. */
export const IS_WHOLE: boolean = process.env['MATRIX'] === 'whole';
