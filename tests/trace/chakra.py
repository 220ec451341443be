# SPDX-License-Identifier: Apache-2.0
"""A trace that PyTorch wrote on a CPU (1.13: schema 1.0.1; 2.x: 1.1.1, brought back to the flat form), in the form in which a later PyTorch writes that of
a GPU: attributes in lists, strides, names of types, devices, operators that are newer or exist on GPUs only,
communication, streams, objects."""
import re

VERSIONS = ("1.0.2-chakra.0.0.4", "1.0.3-chakra.0.0.4", "1.0.4-chakra.0.0.4", "1.1.0-chakra.0.0.4",
            "1.1.1-chakra.0.0.4")
NEWER = {  # operators whose later variants PyTorch 1.13 does not have: (name, arguments of the new one)
    "aten::_foreach_add_.Scalar": (
        "aten::_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()",
        lambda node: (node["inputs"][:1] + [[9000001, 9000002, 0, 1, 4, "cpu"], 1],
                      node["input_shapes"][:1] + [[], []], node["input_types"][:1] + ["Tensor(float)", "Int"])),
    "aten::_foreach_add_.List": (
        "aten::_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()",
        lambda node: (node["inputs"][:2] + [0.1], node["input_shapes"][:2] + [[]],
                      node["input_types"][:2] + ["Double"])),
}


def flatten(trace):
    """The nodes of a trace of any schema in the flat form of 1.0.1."""
    if all("input_shapes" in node for node in trace["nodes"]):
        return trace
    nodes = []
    for node in trace["nodes"]:
        one = {attribute["name"]: attribute["value"] for attribute in node["attrs"]}
        one.update(id=node["id"], name=node["name"], parent=node["ctrl_deps"])
        for which in ("input", "output"):
            lists = node[which + "s"]
            one[which + "s"] = lists["values"]
            one[which + "_shapes"] = lists["shapes"]
            one[which + "_types"] = lists["types"]
            one[which + "_strides"] = lists.get("strides")
        nodes.append(one)
    return dict(trace, schema="1.0.1", nodes=nodes)


def as_gpu(value):
    if isinstance(value, list):
        if len(value) == 6 and value[5] == "cpu" and isinstance(value[0], int):
            return value[:5] + ["cuda:0"]
        return [as_gpu(item) for item in value]
    return "cuda:0" if value == "cpu" else value


def type_name(name, half):
    name = name.replace("long int", "long")
    return name.replace("c10::BFloat16", "c10::Half") if half else name


def half_as_large(value):
    if isinstance(value, list):
        if len(value) == 6 and isinstance(value[5], str) and isinstance(value[0], int) and value[4] == 4:
            return value[:4] + [2] + value[5:]
        return [half_as_large(item) for item in value]
    return value


def in_half(trace):
    """All floating-point tensors are half: a model that was converted with .half()."""
    for node in trace["nodes"]:
        for which in ("input", "output"):
            kinds = node[which + "_types"]
            node[which + "s"] = [half_as_large(value) if "Tensor(float)" in kind else value
                                 for value, kind in zip(node[which + "s"], kinds)]
            node[which + "_types"] = [kind.replace("Tensor(float)", "Tensor(c10::Half)") for kind in kinds]
    return trace


def contiguous(shape):
    if not isinstance(shape, list):
        return []
    if shape and isinstance(shape[0], list):
        return [contiguous(item) for item in shape]
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def attributes(node, version):
    kinds = (("rf_id", "uint64", 0), ("fw_parent", "uint64", 0), ("seq_id", "int64", -1), ("scope", "uint64", 0),
             ("tid", "uint64", 1), ("fw_tid", "uint64", 0), ("op_schema", "string", ""))
    found = [{"name": name, "type": kind, "value": node.get(name, default)} for name, kind, default in kinds]
    if version >= "1.0.4":
        found += [{"name": name, "type": "string", "value": ""} for name in ("kernel_backend", "kernel_file")]
    if version >= "1.1.1":
        found.append({"name": "tensor_range", "type": "string", "value": node.get("tensor_range", "")})
    return found + node.get("more", [])


def side(node, which, version, half):
    values = as_gpu(node[which + "s"])
    found = {"values": values, "shapes": node[which + "_shapes"],
             "types": [type_name(name, half) for name in node[which + "_types"]]}
    if version >= "1.1.1":
        strides = node.get(which + "_strides") or [
            contiguous(shape) if name.startswith("Tensor") else []
            for shape, name in zip(found["shapes"], found["types"])]
        found["strides"] = strides[:-1] if len(strides) > 4 else strides  # may be shorter than values
    return found


def flat(number, name, parent, inputs=(), outputs=(), schema="", more=()):
    """A node of 1.0.1; inputs and outputs are (value, shape, type)."""
    node = {"id": number, "name": name, "parent": parent, "op_schema": schema, "more": list(more)}
    for key, items in (("input", inputs), ("output", outputs)):
        node[key + "s"] = [item[0] for item in items]
        node[key + "_shapes"] = [item[1] for item in items]
        node[key + "_types"] = [item[2] for item in items]
    return node


def tensor(number, shape, kind="float", size=4):
    count = 1
    for one in shape:
        count *= one
    return ([number, number + 1, 0, count, size, "cpu"], shape, "Tensor(%s)" % kind)


def none():
    return ("<None>", [], "None")


def attention(first, parent):
    """Flash attention and its backward, which exist on GPUs only, and the dropout of older releases."""
    shape, rest = [2, 4, 16, 8], ([2, 4, 16], [])
    query, key, value, out, grad = (tensor(first + 10 * i, shape, "c10::BFloat16", 2) for i in range(5))
    sums = tensor(first + 60, rest[0])
    zero, off, scale = (0.0, [], "Double"), (False, [], "Bool"), none()
    inner = [flat(first + 101, "aten::_scaled_dot_product_flash_attention", first + 100,
                  [query, key, value, zero, (True, [], "Bool"), off, scale],
                  [out, sums, none(), none(), (16, [], "Int"), (16, [], "Int"), tensor(first + 70, [], "long", 8),
                   tensor(first + 80, [], "long", 8), tensor(first + 90, [0], "c10::BFloat16", 2)],
                  "aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0., "
                  "bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor "
                  "logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor philox_seed, "
                  "Tensor philox_offset, Tensor debug_attn_mask)")]
    outer = flat(first + 100, "aten::scaled_dot_product_attention", parent,
                 [query, key, value, none(), zero, (True, [], "Bool"), scale], [out],
                 "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
                 "float dropout_p=0., bool is_causal=False, *, float? scale=None) -> Tensor")
    back = flat(first + 110, "aten::_scaled_dot_product_flash_attention_backward", parent,
                [grad, query, key, value, out, sums, none(), none(), (16, [], "Int"), (16, [], "Int"), zero,
                 (True, [], "Bool"), tensor(first + 70, [], "long", 8), tensor(first + 80, [], "long", 8), scale],
                [tensor(first + 120 + i, shape, "c10::BFloat16", 2) for i in range(3)],
                "aten::_scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor "
                "value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, "
                "float dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> "
                "(Tensor grad_query, Tensor grad_key, Tensor grad_value)")
    efficient = flat(first + 130, "aten::_scaled_dot_product_efficient_attention", parent,
                     [query, key, value, none(), (True, [], "Bool"), zero, off, scale], [out, sums, none(), none()],
                     "aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? "
                     "attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? "
                     "scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)")
    efficient_back = flat(
        first + 140, "aten::_scaled_dot_product_efficient_attention_backward", parent,
        [grad, query, key, value, none(), out, sums, none(), none(), zero,
         ([True, True, True, False], [[], [], [], []], "GenericList[Bool,Bool,Bool,Bool]"), off, scale],
        [tensor(first + 150 + i, shape, "c10::BFloat16", 2) for i in range(3)] + [none()],
        "aten::_scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, Tensor "
        "value, Tensor attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float "
        "dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, "
        "Tensor)")
    mask = tensor(first + 160, [16, 8], "unsigned char", 1)
    drop = flat(first + 170, "aten::_fused_dropout", parent, [tensor(first + 165, [16, 8]), (0.9, [], "Double"), none()],
                [tensor(first + 180, [16, 8]), mask],
                "aten::_fused_dropout(Tensor self, float p, Generator? generator=None) -> (Tensor, Tensor)")
    return inner + [outer, back, efficient, efficient_back, drop]


def other_calls(first, parent, new_attrs):
    """What is no computing: communication, streams, pinning, operators of libraries that are not installed."""
    x, group = tensor(first, [8, 4]), ("", [], "__torch__.torch.classes.c10d.ProcessGroup (of Python compilation unit)")
    comm = ("aten::comm", [], "String")
    more = [{"name": name, "type": "string", "value": "x"} for name in
            ("collective_name", "dtype", "pg_name", "pg_desc")] + [
        {"name": name, "type": "uint64", "value": 4} for name in
        ("in_msg_nelems", "out_msg_nelems", "global_rank_start", "global_rank_stride", "pg_size")] + [
        {"name": name, "type": "string", "value": "[]"} for name in ("in_split_size", "out_split_size")]
    pinned = flat(first + 16, "aten::pin_memory", parent, [x, none()], [tensor(first + 30, [8, 4])],
                  "aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)")
    return [
        flat(first + 11, "record_param_comms", first + 10,
             [x, (1, [], "Int"), (["0", "default"], [[], []], "Tuple[String,String]"), comm], [], "",
             more if new_attrs else []),
        flat(first + 10, "c10d::alltoall_base_", parent, [x, x, (group[0], [], "Object"), ([], [], "GenericList[]")], [],
             "c10d::alltoall_base_(Tensor output, Tensor input, __torch__.torch.classes.c10d.ProcessGroup pg, int[] "
             "out_splits, int[] in_splits, int timeout) -> __torch__.torch.classes.c10d.Work"),
        flat(first + 12, "nccl:all_to_all", parent),
        flat(first + 14, "aten::record_stream", parent, [x, ([7, 0, 1], [], "Stream")], [],
             "aten::record_stream(Tensor(a!) self, Stream s) -> ()"),
        pinned,
        flat(first + 18, "fbgemm::split_embedding_codegen_lookup_sgd_function", parent, [x, x],
             [tensor(first + 40, [8, 4])],
             "fbgemm::split_embedding_codegen_lookup_sgd_function(Tensor a, Tensor b) -> Tensor"),
        flat(first + 19, "aten::empty", parent,
             [([8, 4], [[], []], "GenericList[Int,Int]"), (6, [], "Int"), (0, [], "Int"), ("cpu", [], "Device"),
              (True, [], "Bool"), none()], [tensor(first + 60, [8, 4])],
             "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"),
        flat(first + 21, "aten::index_put_", parent,
             [tensor(first + 60, [8, 4]), ([[first + 70, first + 71, 0, 8, 1, "cpu"]], [[8]],
                                           "GenericList[Tensor(bool)]"), tensor(first + 80, [3, 4]),
              (False, [], "Bool")], [tensor(first + 60, [8, 4])],
             "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"),
        flat(first + 20, "aten::relu", parent, [tensor(first + 40, [8, 4])], [tensor(first + 50, [8, 4])],
             "aten::relu(Tensor self) -> Tensor"),
    ]


def convert(trace, version, half=False, newer=True):
    """The trace in the other form; version "1.0.1" keeps the flat one."""
    nodes, step, top = [], None, max(node["id"] for node in trace["nodes"])
    # A GPU works on whole lists of tensors; a CPU calls the operator on each of them.
    lists = {node["id"] for node in trace["nodes"] if node["name"].startswith("aten::_foreach")}
    below = set(lists)
    for node in sorted(trace["nodes"], key=lambda one: one["id"]):
        if node["parent"] in below:
            below.add(node["id"])
    for node in trace["nodes"]:
        if version != "1.0.1" and node["id"] in below - lists:
            continue
        key = node.get("op_schema", "").split("(")[0]
        node = dict(node)
        if newer and key in NEWER and version != "1.0.1":
            node["op_schema"], change = NEWER[key]
            node["inputs"], node["input_shapes"], node["input_types"] = change(node)
        node["name"] = re.sub("execution_graph", "execution_trace", node["name"]) if version != "1.0.1" else node["name"]
        nodes.append(node)
        if node["name"].startswith("ProfilerStep#1") or (step is None and node["name"].startswith("ProfilerStep")):
            step = node["id"]
    # Behind the last call: below the last step, which is the only one with an end that is open.
    nodes += other_calls(top + 1000, step, version >= "1.1.0")
    if version != "1.0.1":
        nodes += attention(top + 2000, step)
    if version == "1.0.1":
        for node in nodes:
            for which in ("inputs", "outputs"):
                node[which] = as_gpu(node[which])
            for name, kind in (("fw_parent", 0), ("seq_id", -1), ("scope", 0), ("tid", 1), ("fw_tid", 0), ("rf_id", 0)):
                node.setdefault(name, kind)
            node.pop("more", None)
        return {"schema": version, "pid": 1, "time": "2022-01-01 00:00:00", "start_ts": 1, "nodes": nodes,
                "finish_ts": 2}
    nodes = [{"id": node["id"], "name": node["name"], "ctrl_deps": node["parent"],
              "inputs": side(node, "input", version, half), "outputs": side(node, "output", version, half),
              "attrs": attributes(node, version)} for node in nodes]
    return {"schema": version, "pid": 1, "time": "2024-01-01 00:00:00", "start_ts": 1, "nodes": nodes, "finish_ts": 2}
