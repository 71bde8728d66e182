// Answers too long to be kept: only their length and their status are checked.
import { Agent, request as httpRequest } from 'node:http';

/** Posts a body and gives the number of bytes that came back. */
export function postForLength({ port, agent, headers }, body) {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, agent, host: '127.0.0.1', path: '/mcp', method: 'POST', headers });
    request.on('error', reject);
    request.on('response', (response) => {
      let length = 0;
      response.on('data', (chunk) => (length += chunk.length));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(length) : reject(new Error(`status ${response.statusCode}`)),
      );
    });
    request.end(body);
  });
}

export const oneConnection = () => new Agent({ keepAlive: true, maxSockets: 1 });

/** Writes a line to a process and gives the length of the line that comes back. */
export function lineForLength(child, line) {
  return new Promise((resolve, reject) => {
    let length = 0;
    const finish = (settle) => (value) => {
      child.stdout.off('data', read);
      child.off('exit', fail);
      settle(value);
    };
    const fail = () => finish(reject)(new Error('The server ended.'));
    const read = (chunk) => {
      length += chunk.length;
      if (chunk[chunk.length - 1] === 0x0a) finish(resolve)(length);
    };
    child.stdout.on('data', read);
    child.once('exit', fail);
    child.stdin.write(`${line}\n`);
  });
}
