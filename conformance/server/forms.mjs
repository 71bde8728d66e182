/** A JSON Schema of an object. */
export const object = (properties, required = []) => ({ type: 'object', properties, required });
const titled = (...options) => options.map(([value, title]) => ({ const: value, title }));

/** Every kind of field with a default. */
export const DEFAULTS = object({
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', description: 'User status', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
});

/** Every way to offer a choice. */
export const CHOICES = object({
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: titled(['value1', 'First option'], ['value2', 'Second option'], ['value3', 'Third option']),
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option one', 'Option two', 'Option three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: { anyOf: titled(['value1', 'First choice'], ['value2', 'Second choice'], ['value3', 'Third choice']) },
  },
});

/** The form of the scenarios whose answer is always the same. */
export const IDENTITY = object({ username: { type: 'string' }, email: { type: 'string' } }, ['username', 'email']);
