/** An event store of the official SDKs, of either generation, in memory. */
export function keepEvents() {
  const events = [];
  return {
    storeEvent: async (streamId, message) => {
      events.push({ streamId, message });
      return String(events.length);
    },
    getStreamIdForEventId: async (eventId) => events[Number(eventId) - 1]?.streamId,
    replayEventsAfter: async (lastEventId, { send }) => {
      const { streamId } = events[Number(lastEventId) - 1];
      for (const [index, event] of [...events.entries()].slice(Number(lastEventId))) {
        // An event without a method and an id only primes the stream.
        const isMessage = Object.keys(event.message).length > 0;
        if (event.streamId === streamId && isMessage) await send(String(index + 1), event.message);
      }
      return streamId;
    },
  };
}
