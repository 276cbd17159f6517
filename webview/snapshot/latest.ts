/** Of what is asked for again and again only the newest answer counts, and one question is under way at a time. */

export interface Latest<Wanted> {
  want(wanted: Wanted): void;
}

/**
 * @param load asks; its answer is used where nothing else was wanted meanwhile
 * @param use what is done with an answer
 * @param fail what is done with an error
 */
export function latest<Wanted, Answer>(
  load: (wanted: Wanted) => Promise<Answer>,
  use: (answer: Answer, wanted: Wanted) => void,
  fail: (error: unknown) => void,
): Latest<Wanted> {
  let next: { readonly wanted: Wanted } | undefined;
  let busy = false;

  async function run(): Promise<void> {
    busy = true;
    while (next !== undefined) {
      const { wanted } = next;
      next = undefined;
      try {
        const answer = await load(wanted);
        if (next === undefined) use(answer, wanted);
      } catch (error) {
        if (next === undefined) fail(error);
      }
    }
    busy = false;
  }

  return {
    want(wanted) {
      next = { wanted };
      if (!busy) void run();
    },
  };
}
