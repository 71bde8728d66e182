/** Callbacks of the bridge to a view: each driver has the view cause one to go wrong; then the view is answered as before. */
import { expect } from 'vitest';
import type { Fault } from '../../../crosspoint/test/guard/faults.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { ViewBridge, openWithConsent, type ViewBridgeOptions } from '../../src/apps/index.ts';
import { Inbox } from '../../src/inbox/inbox.ts';
import type { JsonObject } from '../../src/values/json.ts';
import type { Driver } from './host-callbacks.ts';

const INITIALIZE = { appInfo: { name: 'v', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' };
const request = (method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id: method,
  method,
  params,
});
const notification = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: '2.0', method, params });

interface Plan {
  readonly options: (fault: Fault) => Partial<ViewBridgeOptions>;
  /** The message of the view that leads to the callback. */
  readonly message: JsonObject;
  readonly isLast?: boolean;
}

const drive =
  ({ options, message, isLast }: Plan): Driver =>
  async (fault, isLoud) => {
    const sent: JsonObject[] = [];
    const problems: Error[] = [];
    const given = options(fault);
    const bridge = new ViewBridge({
      server: 'shop',
      hostInfo: { name: 'host', version: '1' },
      hostContext: { availableDisplayModes: ['inline', 'fullscreen'] },
      send: (one) => void sent.push(one),
      onproblem: (problem) => problems.push(problem),
      ...given,
    });
    fault.isOn = false;
    bridge.receive(request('ui/initialize', INITIALIZE));
    bridge.receive(notification('ui/notifications/initialized'));
    await until(() => bridge.isReady);
    fault.isOn = true;
    bridge.receive(message);
    await fault.called();
    if (isLoud && isLast !== true) await until(() => problems.length > 0);
    fault.isOn = false;
    bridge.receive(request('ping'));
    if (given.send === undefined) await until(() => sent.some(({ id }) => id === 'ping'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(bridge.isReady).toBe(true);
    bridge.close();
  };

const RESULT = { content: [] };
const TOOLS = [{ name: 't', inputSchema: { type: 'object' as const } }];
const CALL = request('tools/call', { name: 't' });

export const VIEW: Readonly<Record<string, Driver>> = {
  'view.tools': drive({
    options: (fault) => ({ tools: fault.in(() => TOOLS), callTool: () => RESULT }),
    message: CALL,
  }),
  'view.callTool': drive({
    options: (fault) => ({ tools: () => TOOLS, callTool: fault.in(() => RESULT) }),
    message: CALL,
  }),
  'view.readResource': drive({
    options: (fault) => ({ readResource: fault.in(() => ({ contents: [] })) }),
    message: request('resources/read', { uri: 'ui://x/y' }),
  }),
  'view.open': drive({
    options: (fault) => ({ open: fault.in(() => true) }),
    message: request('ui/open-link', { url: 'https://example.com/' }),
  }),
  'view.openUrl': drive({
    options: (fault) => {
      const responders = [() => ({ action: 'accept' as const })];
      const asks = new Inbox({ responders });
      return { open: openWithConsent({ asks, server: 'shop', openUrl: fault.in(() => {}) }) };
    },
    message: request('ui/open-link', { url: 'https://example.com/' }),
  }),
  'view.message': drive({
    options: (fault) => ({ message: fault.in(() => true) }),
    message: request('ui/message', { role: 'user', content: { type: 'text', text: 'x' } }),
  }),
  'view.updateModelContext': drive({
    options: (fault) => ({ updateModelContext: fault.in(() => true) }),
    message: request('ui/update-model-context', { content: [] }),
  }),
  'view.changeDisplayMode': drive({
    options: (fault) => ({ changeDisplayMode: fault.in(() => true) }),
    message: request('ui/request-display-mode', { mode: 'fullscreen' }),
  }),
  'view.onsize': drive({
    options: (fault) => ({ onsize: fault.in(() => {}) }),
    message: notification('ui/notifications/size-changed', { width: 1 }),
  }),
  'view.onlog': drive({
    options: (fault) => ({ onlog: fault.in(() => {}) }),
    message: notification('notifications/message', { level: 'info', data: 'x' }),
  }),
  'view.onteardownrequest': drive({
    options: (fault) => ({ onteardownrequest: fault.in(() => {}) }),
    message: notification('ui/notifications/request-teardown'),
  }),
  'view.onproblem': drive({
    isLast: true,
    options: (fault) => ({ onproblem: fault.in(() => {}) }),
    message: notification('unknown/notification'),
  }),
  'view.send': drive({ options: (fault) => ({ send: fault.in(() => {}) }), message: request('unknown/method') }),
  'view.audit': drive({ options: (fault) => ({ audit: { write: fault.in(() => {}) } }), message: CALL }),
};
