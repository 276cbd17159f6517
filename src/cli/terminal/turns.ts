/** Questions one after the other: each waits until those before it were answered, whatever became of them. */
export type InTurn = <T>(question: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  let turn: Promise<unknown> = Promise.resolve();
  return (question) => {
    const answer = turn.then(question);
    turn = answer.catch(() => {});
    return answer;
  };
}
