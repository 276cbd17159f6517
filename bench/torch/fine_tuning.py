"""Trains a small language model for a few steps, as it is or with one change made for real; profiled by fineTuning.mjs.

`--net plain` is written in plain torch, with LoRA's layers and the 8-bit optimizer's state written out in the shape
of PEFT's and bitsandbytes'. `llama` and `gpt2` are of transformers, made small and at random; their adapters are of
PEFT, packed weights and 8-bit optimizers of bitsandbytes (torchao's with `--optimizer torchao`).
"""
import argparse
import ctypes
import tempfile

import torch
import model_zoo as zoo  # of python-helper/tests, put beside this

WORDS, WIDTH, HEADS, LAYERS = 3000, 256, 4, 4


class Adam8bit(torch.optim.Optimizer):
    """In the shape of bitsandbytes' state: bytes, their scales in blocks of 256, and shared tables. It does not train."""

    def __init__(self, parameters):
        super(Adam8bit, self).__init__(parameters, {})
        self.tables = [torch.zeros(256), torch.zeros(256)]

    def step(self):
        for group in self.param_groups:
            for each in group["params"]:
                if each.grad is not None and not self.state[each]:
                    self.state[each] = self.made(each)

    def made(self, each):
        if each.numel() < 4096:
            return {"state1": torch.zeros_like(each), "state2": torch.zeros_like(each)}
        scales = (each.numel() + 255) // 256
        return {"state1": torch.zeros(each.shape, dtype=torch.uint8), "state2": torch.zeros(each.shape, dtype=torch.uint8),
                "qmap1": self.tables[0], "qmap2": self.tables[1],
                "absmax1": torch.zeros(scales), "absmax2": torch.zeros(scales)}


def made(options):
    if options.net == "plain":
        return zoo.CausalTransformer(WORDS, WIDTH, HEADS, LAYERS)
    import transformers
    shape = {"vocab_size": WORDS, "attn_implementation": options.attention}
    if options.net == "llama":
        config = transformers.LlamaConfig(hidden_size=WIDTH, intermediate_size=688, num_hidden_layers=LAYERS,
                                          num_attention_heads=HEADS, max_position_embeddings=1024, **shape)
    else:
        config = transformers.GPT2Config(n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_positions=1024, resid_pdrop=0,
                                         embd_pdrop=0, attn_pdrop=0, **shape)
    model = transformers.AutoModelForCausalLM.from_config(config)
    model.config.use_cache = False
    if options.four_bit:
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            packed = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4",
                                                     bnb_4bit_use_double_quant=options.four_bit == "nested",
                                                     bnb_4bit_compute_dtype=torch.float32)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                folder, quantization_config=packed, device_map="cpu", dtype=torch.float32,
                attn_implementation=options.attention)
    return model


def adapted(model, options):
    if not options.lora:
        return model
    if options.net == "plain":
        zoo.add_lora(model, options.lora)
        return model
    import peft
    return peft.get_peft_model(model, peft.LoraConfig(r=options.lora, task_type="CAUSAL_LM"))


def optimizer_of(model, kind):
    trained = [each for each in model.parameters() if each.requires_grad]
    if kind == "shape":
        return Adam8bit(trained)
    if kind == "bitsandbytes":
        import bitsandbytes
        return bitsandbytes.optim.AdamW8bit(trained, lr=1e-4)
    if kind == "torchao":
        from torchao.optim import AdamW8bit
        return AdamW8bit(trained, lr=1e-4)
    return torch.optim.AdamW(trained, lr=1e-4)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", choices=["plain", "llama", "gpt2"], default="plain")
    parser.add_argument("--attention", default="eager")
    parser.add_argument("--lora", type=int, default=0)
    parser.add_argument("--four-bit", choices=["plain", "nested"])
    parser.add_argument("--optimizer", default="adam")
    parser.add_argument("--length", type=int, default=160)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    # Memory that malloc does not keep (M_MMAP_THRESHOLD) leaves RSS when a tensor is freed.
    ctypes.CDLL(None).mallopt(-3, 65536)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = adapted(made(options), options).train()
    optimizer = optimizer_of(model, options.optimizer)
    words = torch.randint(0, WORDS, (options.batch, options.length))
    for _ in range(3):
        if options.net == "plain":
            zoo.train_words(model, words, optimizer)
        else:
            loss = model(input_ids=words, labels=words).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


main()
