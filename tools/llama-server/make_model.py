"""Makes a tiny model that has the tokenizer of a real one: make_model.py REAL.gguf TINY.gguf."""

import sys

import numpy
from gguf import GGUFReader, GGUFValueType, GGUFWriter

WIDTH, FEED_FORWARD, HEADS, KEY_VALUE_HEADS = 64, 128, 4, 2
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}"
    "<tool_call>{{ call.function.name }}({{ call.function.arguments }})</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

real, tiny = sys.argv[1:]
reader = GGUFReader(real)
writer = GGUFWriter(tiny, "llama")
for name, field in reader.fields.items():
    if not name.startswith("tokenizer.") or name == "tokenizer.chat_template":
        continue
    value, kind = field.contents(), field.types[0]
    if name == "tokenizer.ggml.tokens":
        words = len(value)
    if kind == GGUFValueType.ARRAY:
        writer.add_array(name, value)
    else:
        writer.add_key_value(name, value, kind)
writer.add_chat_template(TEMPLATE)
writer.add_context_length(131072)
writer.add_embedding_length(WIDTH)
writer.add_block_count(1)
writer.add_feed_forward_length(FEED_FORWARD)
writer.add_head_count(HEADS)
writer.add_head_count_kv(KEY_VALUE_HEADS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_freq_base(10000.0)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_vocab_size(words)
writer.add_file_type(1)

random = numpy.random.default_rng(0)
narrow = WIDTH * KEY_VALUE_HEADS // HEADS
for name, *shape in [
    ("attn_q", WIDTH, WIDTH),
    ("attn_k", narrow, WIDTH),
    ("attn_v", narrow, WIDTH),
    ("attn_output", WIDTH, WIDTH),
    ("ffn_gate", FEED_FORWARD, WIDTH),
    ("ffn_up", FEED_FORWARD, WIDTH),
    ("ffn_down", WIDTH, FEED_FORWARD),
]:
    weights = random.standard_normal(shape) * 0.05
    writer.add_tensor(f"blk.0.{name}.weight", weights.astype(numpy.float16))
for name in ["blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"]:
    writer.add_tensor(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))
embedding = random.standard_normal((words, WIDTH)) * 0.05
writer.add_tensor("token_embd.weight", embedding.astype(numpy.float16))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
