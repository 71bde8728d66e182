/** Page shown after the redirect. It contains nothing of the answer and loads nothing. */
export const CALLBACK_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Login</title>
<style>body{font:1.1rem system-ui,sans-serif;margin:20vh auto;max-width:30rem;padding:0 1rem;color:#222;background:#fff}@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}}</style>
<h1>Thank you</h1>
<p>The answer has been received. You can close this window and go back to the program.</p>
</html>
`;

export const CALLBACK_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
};
