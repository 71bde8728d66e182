/** What the own machine is called. */
export const localhostAllowedHostnames = ['localhost', '127.0.0.1', '[::1]'];
