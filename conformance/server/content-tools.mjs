import { ToolError, resourceContents, text } from 'crosspoint/server';
import { PNG, WAV } from './media.mjs';

const image = { type: 'image', data: PNG, mimeType: 'image/png' };

const embedded = (uri, data, mimeType) => ({ type: 'resource', resource: resourceContents(uri, data, mimeType) });

/** A tool for each kind of content, and one that fails. */
export function registerContentTools(server) {
  server.registerTool('test_simple_text', { description: 'Returns text.' }, () =>
    text('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description: 'Returns an image.' }, () => ({ content: [image] }));
  server.registerTool('test_audio_content', { description: 'Returns a sound.' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Returns a resource inside its content.' }, () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.', 'text/plain')],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Returns text, an image and a resource.' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  }));
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });
}
