/** The helper on the board as one process that takes one command after another, so that none waits for a start. */
import { exchange, type HelperCall, send } from "./callHelper.ts";
import type { Talk } from "./talk.ts";

export interface ServingHelper {
  /** Whether it takes another command: not once it has ended or one has failed. */
  readonly serves: boolean;
  /** Commands may be given before those before them are answered. */
  call<T>(command: string, call: HelperCall<T>): Promise<T>;
  /** It ends when it has answered what it was given. */
  end(): void;
}

export function servingHelper(talk: Talk): ServingHelper {
  const { stdin } = talk.process;
  let serves = true;
  const over = (): void => {
    serves = false;
  };
  void talk.process.exit.then(over);
  let sent: Promise<unknown> = Promise.resolve();
  let answered: Promise<unknown> = Promise.resolve();
  return {
    get serves() {
      return serves;
    },
    call<T>(command: string, call: HelperCall<T>): Promise<T> {
      const before = sent;
      const sending = async (): Promise<void> => {
        await before;
        await send(stdin, { command, request: call.request }, call.body);
      };
      const sendingNow = sending();
      sent = sendingNow.catch(() => {});
      const reply = exchange(talk, call, () => sendingNow, answered);
      answered = reply;
      reply.catch(over);
      return reply;
    },
    end() {
      over();
      void sent.then(() => stdin.end());
    },
  };
}
