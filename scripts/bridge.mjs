// Puts a bridge before a server: npm run bridge -- --help
import { runBridge } from '@crosspoint/gateway/program';

process.exit(await runBridge(process.argv.slice(2)));
