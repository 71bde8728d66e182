// Keeps a number of secrets in an encrypted file that another process writes to at the same time.
import { EncryptedFile } from '@crosspoint/host/secrets';

const [path, prefix, count] = process.argv.slice(2);
const secrets = new EncryptedFile({ path, key: { variable: 'TEST_SECRETS_KEY' }, lockTimeoutMs: 60_000 });
for (let at = 0; at < Number(count); at += 1) await secrets.set(`${prefix}-${at}`, `value-${at}`);
