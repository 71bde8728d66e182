import { App } from '@modelcontextprotocol/ext-apps';
import { ViewBridge, type ViewBridgeOptions } from '../../src/apps/index.ts';
import type { JsonObject } from '../../src/index.ts';

/** The official view class on one end of a message channel, and our bridge on the other. */
export interface AppView {
  readonly app: App;
  readonly bridge: ViewBridge;
  /** Every message, in order: `→` to the view, `←` from it. */
  readonly trace: string[];
  readonly connect: () => Promise<void>;
  readonly close: () => void;
}

export const HOST_INFO = { name: 'test-host', version: '1.0.0' };

export function appView(
  options: Partial<ViewBridgeOptions> = {},
  capabilities: ConstructorParameters<typeof App>[1] = {},
): AppView {
  const { port1, port2 } = new MessageChannel();
  const trace: string[] = [];
  const note = (arrow: string, message: JsonObject): void => {
    const { method, id } = message as { method?: string; id?: unknown };
    trace.push(`${arrow} ${method ?? `answer ${JSON.stringify(id)}`}`);
  };
  const bridge = new ViewBridge({
    server: 'shop',
    hostInfo: HOST_INFO,
    ...options,
    send: (message) => {
      note('→', message);
      port1.postMessage(message);
    },
  });
  port1.onmessage = ({ data }) => {
    note('←', data as JsonObject);
    bridge.receive(data);
  };
  const app = new App({ name: 'view', version: '2.0.0' }, capabilities, { autoResize: false });
  const transport: NonNullable<Parameters<App['connect']>[0]> = {
    start: async () => {
      port2.onmessage = ({ data }) => transport.onmessage?.(data as never);
    },
    send: async (message) => port2.postMessage(message),
    close: async () => port2.close(),
  };
  return {
    app,
    bridge,
    trace,
    connect: () => app.connect(transport),
    close: () => {
      bridge.close();
      port1.close();
      port2.close();
    },
  };
}
