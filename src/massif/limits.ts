/** A tree that has more nodes than this is refused with a message: a file made for the purpose could hold any number. */
export const MAX_NODES = 4_000_000;
