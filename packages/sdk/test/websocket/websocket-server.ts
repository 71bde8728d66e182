import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Answers each text message; the smallest server of RFC 6455 that these tests need: unfragmented frames of under 64 kB. */
export async function serveWebSocket(answer: (text: string) => string[]): Promise<{ port: number; server: Server }> {
  const server = createServer();
  server.on('upgrade', (request, socket: Duplex) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const protocol = request.headers['sec-websocket-protocol'] ?? '';
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    let held = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      for (let frame = readFrame(held); frame; frame = readFrame(held)) {
        held = held.subarray(frame.length);
        if (frame.opcode === 8) return void socket.end(frameOf(8, Buffer.from(frame.payload)));
        for (const text of answer(frame.payload.toString())) socket.write(frameOf(1, Buffer.from(text)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 6) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const head = short === 126 ? 8 : 6;
  if (bytes.length < head) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < head + size) return undefined;
  const mask = bytes.subarray(head - 4, head);
  const payload = bytes.subarray(head, head + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: Buffer.from(payload), length: head + size };
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.from([0x80 | opcode, payload.length]) : Buffer.alloc(4);
  if (payload.length >= 126) {
    head.writeUInt8(0x80 | opcode, 0);
    head.writeUInt8(126, 1);
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}
