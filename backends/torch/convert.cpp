// SPDX-License-Identifier: Apache-2.0
//
// Values of the host as values of torch and back. Tensors share their memory both ways: torch's
// storage holds a reference to the host's, the host's holds the tensor of torch.
#include "torch_backend.hpp"

#include <ATen/CPUGeneratorImpl.h>

namespace opbench
{
namespace
{

[[noreturn]] void misfit(const ob_value &value, const c10::TypePtr &type)
{
    static const char *const NAMES[] = {
#define OPBENCH_KIND_NAME(id, name) name,
        OB_VALUE_KIND_MAP(OPBENCH_KIND_NAME)
#undef OPBENCH_KIND_NAME
    };
    throw Failure(OB_ERR_INVALID, std::string("a value of kind ") + NAMES[value.kind] +
                                      " cannot be converted to torch's type " + type->str());
}

struct Reference {
    const ob_host *host;
    ob_storage *storage;
};

void drop_reference(void *ctx)
{
    auto *reference = static_cast<Reference *>(ctx);
    reference->host->storage_release(reference->storage);
    delete reference;
}

// Whether the columns rise: torch takes whatever is made of parts for something that it has to sort first.
bool is_coalesced(const at::Tensor &indices)
{
    const auto places = indices.accessor<int64_t, 2>();
    for (int64_t i = 1; i < places.size(1); i++) {
        int64_t d = 0;
        while (d < places.size(0) && places[d][i - 1] == places[d][i])
            d++;
        if (d == places.size(0) || places[d][i - 1] > places[d][i])
            return false;
    }
    return true;
}

at::Tensor sparse_to_torch(const ob_backend &backend, const ob_tensor &tensor, StorageMap &storages)
{
    const at::Tensor indices = to_torch(backend, *tensor.indices, storages);
    const at::Tensor values = to_torch(backend, *tensor.values, storages);
    const bool coalesced = is_coalesced(indices.cpu());
    const at::Tensor made =
        at::sparse_coo_tensor(indices, values,
                              at::IntArrayRef(tensor.sizes, static_cast<size_t>(tensor.ndim)),
                              values.options().layout(at::kSparse))
            ._coalesced_(coalesced);
    switch (tensor.layout) {
    case OB_LAYOUT_SPARSE_CSR:
        return made.to_sparse_csr();
    case OB_LAYOUT_SPARSE_CSC:
        return made.to_dense().to_sparse_csc(); // no other way in 1.13
    default:
        return made;
    }
}

} // namespace

c10::Storage StorageMap::get(ob_storage *storage)
{
    for (const auto &pair : known_)
        if (pair.first == storage)
            return pair.second;
    auto *reference = new Reference{host_, host_->storage_retain(storage)};
    c10::DataPtr data(host_->storage_data(storage), reference, drop_reference,
                      c10::Device(c10::kCPU));
    c10::Storage made(c10::Storage::use_byte_size_t(), host_->storage_size(storage),
                      std::move(data), nullptr, false);
    known_.emplace_back(storage, made);
    return made;
}

c10::ScalarType scalar_type(const ob_host *host, ob_dtype dtype)
{
    const ob_dtype_info *info = host->dtype_get_info(dtype);
    if (info == nullptr)
        throw Failure(OB_ERR_UNSUPPORTED, "an element type that torch does not have");
    return static_cast<c10::ScalarType>(info->torch_number);
}

// A tensor that names a device wants that one; "cpu" is where all of the host's are made.
void check_device(const ob_backend &backend, const ob_tensor &tensor)
{
    const std::string type(tensor.device.type);
    if (type.empty() || type == "cpu" || type == c10::DeviceTypeName(backend.device.type(), true))
        return;
    throw Failure(OB_ERR_UNSUPPORTED, "a tensor should be on " + type +
                                          ", but the backend works on " + backend.device.str() +
                                          "; leave out its device, or give --device " + type);
}

at::Tensor view_of(const ob_backend &backend, const ob_tensor &tensor, StorageMap &storages)
{
    const size_t ndim = static_cast<size_t>(tensor.ndim);
    const at::IntArrayRef sizes(tensor.sizes, ndim), strides(tensor.strides, ndim);
    const auto options = at::TensorOptions().dtype(scalar_type(backend.host, tensor.dtype));
    // One without elements shares nothing; as torch's own it can be resized by out= variants.
    if (backend.host->tensor_numel(&tensor) == 0 || tensor.storage == nullptr)
        return at::empty_strided(sizes, strides, options);
    return at::empty({0}, options)
        .set_(storages.get(tensor.storage), tensor.offset, sizes, strides);
}

at::Tensor to_torch(const ob_backend &backend, const ob_tensor &tensor, StorageMap &storages)
{
    check_device(backend, tensor);
    if (ob_layout_is_sparse(tensor.layout))
        return sparse_to_torch(backend, tensor, storages);
    const at::Tensor made = view_of(backend, tensor, storages);
    if (tensor.layout == OB_LAYOUT_MKLDNN)
        return made.to_mkldnn();
    return backend.device.is_cpu() ? made : made.to(backend.device);
}

// ---- to torch

namespace
{

c10::IValue int_of(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type)
{
    switch (value.kind) {
    case OB_VALUE_INT:
        return value.as.integer;
    case OB_VALUE_BOOL:
        return static_cast<int64_t>(value.as.boolean);
    case OB_VALUE_DTYPE:
        return static_cast<int64_t>(scalar_type(backend.host, value.as.dtype));
    case OB_VALUE_LAYOUT:
        return static_cast<int64_t>(value.as.layout); // the numbers are PyTorch's
    case OB_VALUE_MEMORY_FORMAT:
        return static_cast<int64_t>(value.as.memory_format); // the numbers are PyTorch's
    default:
        misfit(value, type);
    }
}

c10::IValue number_of(const ob_value &value, const c10::TypePtr &type)
{
    switch (value.kind) {
    case OB_VALUE_INT:
        return value.as.integer;
    case OB_VALUE_DOUBLE:
        return value.as.real;
    case OB_VALUE_BOOL:
        return value.as.boolean;
    case OB_VALUE_COMPLEX:
        return c10::complex<double>(value.as.complex.real, value.as.complex.imag);
    default:
        misfit(value, type);
    }
}

// Numbers stand for tensors, as Python's front end lets them; None for an undefined one, as PARAM does.
c10::IValue tensor_of(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type,
                      StorageMap &storages)
{
    if (value.kind == OB_VALUE_TENSOR)
        return to_torch(backend, *value.as.tensor, storages);
    if (value.kind == OB_VALUE_NONE)
        return at::Tensor();
    at::Tensor made = at::scalar_tensor(number_of(value, type).toScalar(),
                                        at::TensorOptions()
                                            .dtype(value.kind == OB_VALUE_INT    ? at::kLong
                                                   : value.kind == OB_VALUE_BOOL ? at::kBool
                                                                                 : at::kDouble)
                                            .device(backend.device));
    made.unsafeGetTensorImpl()->set_wrapped_number(true);
    return made;
}

c10::IValue list_of(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type,
                    StorageMap &storages)
{
    const c10::TypePtr element = type->containedType(0);
    std::vector<c10::IValue> items;
    if (ob_value_is_list(&value))
        for (size_t i = 0; i < value.as.list.count; i++)
            items.push_back(to_ivalue(backend, value.as.list.items[i], element, storages));
    else
        items.push_back(to_ivalue(backend, value, element, storages)); // one for a list of one
    return make_list(type, items);
}

c10::IValue tuple_of(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type,
                     StorageMap &storages)
{
    const auto types = type->containedTypes();
    if ((!ob_value_is_list(&value)) || value.as.list.count != types.size())
        misfit(value, type);
    std::vector<c10::IValue> items;
    for (size_t i = 0; i < types.size(); i++)
        items.push_back(to_ivalue(backend, value.as.list.items[i], types[i], storages));
    return c10::ivalue::Tuple::create(std::move(items));
}

c10::IValue device_of(const ob_value &value, const c10::TypePtr &type)
{
    if (value.kind == OB_VALUE_STR)
        return c10::Device(std::string(value.as.str.text, value.as.str.length));
    if (value.kind != OB_VALUE_DEVICE)
        misfit(value, type);
    const ob_device &device = value.as.device;
    return c10::Device(device.index >= 0
                           ? std::string(device.type) + ":" + std::to_string(device.index)
                           : std::string(device.type));
}

} // namespace

c10::IValue make_list(const c10::TypePtr &list_type, const std::vector<c10::IValue> &items)
{
    c10::TypePtr element = list_type->containedType(0);
    // Boxed kernels take lists of plain ints for symbolic ones.
    if (element->kind() == c10::TypeKind::SymIntType)
        element = c10::IntType::get();
    c10::impl::GenericList list(element);
    list.reserve(items.size());
    for (const c10::IValue &item : items)
        list.push_back(item);
    return list;
}

c10::IValue to_ivalue(const ob_backend &backend, const ob_value &value, const c10::TypePtr &type,
                      StorageMap &storages)
{
    switch (type->kind()) {
    case c10::TypeKind::OptionalType:
        return value.kind == OB_VALUE_NONE
                   ? c10::IValue()
                   : to_ivalue(backend, value, type->containedType(0), storages);
    case c10::TypeKind::TensorType:
        return tensor_of(backend, value, type, storages);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
        return int_of(backend, value, type);
    case c10::TypeKind::FloatType:
        return number_of(value, type).toScalar().toDouble();
    case c10::TypeKind::BoolType:
        if (value.kind == OB_VALUE_BOOL)
            return value.as.boolean;
        if (value.kind == OB_VALUE_INT)
            return value.as.integer != 0;
        misfit(value, type);
    case c10::TypeKind::ComplexType:
        return number_of(value, type).toScalar().toComplexDouble();
    case c10::TypeKind::NumberType:
        return number_of(value, type);
    case c10::TypeKind::StringType:
        if (value.kind != OB_VALUE_STR)
            misfit(value, type);
        return std::string(value.as.str.text, value.as.str.length);
    case c10::TypeKind::DeviceObjType:
        return device_of(value, type);
    case c10::TypeKind::GeneratorType:
        if (value.kind != OB_VALUE_GENERATOR)
            misfit(value, type);
        return at::detail::createCPUGenerator(value.as.seed);
    case c10::TypeKind::ListType:
        return list_of(backend, value, type, storages);
    case c10::TypeKind::TupleType:
        return tuple_of(backend, value, type, storages);
    default:
        throw Failure(OB_ERR_UNSUPPORTED, "arguments of torch's type " + type->str() +
                                              " cannot be passed from outside torch");
    }
}

// ---- from torch

namespace
{

void drop_tensor(void *data, size_t size_bytes, void *ctx)
{
    (void)data, (void)size_bytes;
    delete static_cast<at::Tensor *>(ctx);
}

ob_dtype dtype_of(const ob_host *host, c10::ScalarType type)
{
    for (int i = 0; i < OB_DTYPE_COUNT; i++)
        if (host->dtype_get_info(static_cast<ob_dtype>(i))->torch_number == static_cast<int>(type))
            return static_cast<ob_dtype>(i);
    throw Failure(OB_ERR_UNSUPPORTED, std::string("an output has torch's element type ") +
                                          c10::toString(type) +
                                          ", which has no values outside torch");
}

void init_dense(const ob_host *host, const at::Tensor &tensor, ob_tensor *out)
{
    ob_err err;
    if (tensor.dim() > OB_MAX_DIMS)
        throw Failure(OB_ERR_LIMIT, "an output has " + std::to_string(tensor.dim()) +
                                        " dimensions; tensors have at most " +
                                        std::to_string(OB_MAX_DIMS));
    // Conjugation and negation that are only flags become values; other devices come to the host.
    auto kept = std::make_unique<at::Tensor>(
        tensor.detach().resolve_conj().resolve_neg().to(c10::Device(c10::kCPU)));
    const ob_dtype dtype = dtype_of(host, kept->scalar_type());
    const int ndim = static_cast<int>(kept->dim());
    int64_t bytes = 0;
    check(host->shape_span_bytes(kept->sizes().data(), kept->strides().data(), ndim, dtype, &bytes,
                                 &err),
          err);
    ob_device cpu = {"cpu", -1};
    ob_storage *storage = nullptr;
    check(host->storage_wrap(kept->data_ptr(), static_cast<size_t>(bytes), &cpu, drop_tensor,
                             kept.get(), &storage, &err),
          err);
    const at::Tensor &view = *kept.release(); // the storage's from here on
    const ob_status status = host->tensor_init_view(out, storage, dtype, view.sizes().data(), ndim,
                                                    view.strides().data(), 0, &err);
    host->storage_release(storage);
    check(status, err);
}

void tensor_value(const ob_host *host, const at::Tensor &tensor, ob_value *out)
{
    ob_err err;
    ob_tensor made;
    if (!tensor.defined()) {
        *out = ob_value_none();
        return;
    }
    if (tensor.layout() == at::kMkldnn) {
        init_dense(host, tensor.to_dense(), &made);
    } else if (tensor.layout() == at::kSparse || tensor.layout() == at::kSparseCsr) {
        ob_tensor indices, values;
        const at::Tensor parts =
            tensor.layout() == at::kSparse ? tensor.detach() : tensor.detach().to_sparse();
        const at::Tensor whole = parts.coalesce();
        init_dense(host, whole.indices(), &indices);
        init_dense(host, whole.values(), &values);
        const ob_status status = host->tensor_init_sparse(
            &made, whole.sizes().data(), static_cast<int>(whole.dim()), &indices, &values, &err);
        host->tensor_fini(&indices);
        host->tensor_fini(&values);
        check(status, err);
    } else if (tensor.layout() == at::kStrided && !tensor.is_quantized()) {
        init_dense(host, tensor, &made);
    } else {
        throw Failure(OB_ERR_UNSUPPORTED,
                      "an output's layout or dtype has no values outside torch");
    }
    const ob_status status = host->value_init_tensor(out, &made, &err);
    host->tensor_fini(&made);
    check(status, err);
}

void list_value(const ob_host *host, const c10::IValue *items, size_t count, ob_value_kind kind,
                ob_value *out)
{
    ob_err err;
    check(host->value_init_list(out, kind, count, &err), err);
    for (size_t i = 0; i < count; i++)
        from_ivalue(host, items[i], &out->as.list.items[i]);
}

} // namespace

void from_ivalue(const ob_host *host, const c10::IValue &value, ob_value *out)
{
    ob_err err;
    *out = ob_value_none();
    if (value.isTensor())
        tensor_value(host, value.toTensor(), out);
    else if (value.isInt())
        *out = ob_value_int(value.toInt());
    else if (value.isDouble())
        *out = ob_value_double(value.toDouble());
    else if (value.isBool())
        *out = ob_value_bool(value.toBool());
    else if (value.isString())
        check(
            host->value_init_str(out, value.toStringRef().data(), value.toStringRef().size(), &err),
            err);
    else if (value.isList()) {
        const auto items = value.toListRef();
        list_value(host, items.data(), items.size(), OB_VALUE_LIST, out);
    } else if (value.isTuple()) {
        const auto items = value.toTupleRef().elements().vec();
        list_value(host, items.data(), items.size(), OB_VALUE_TUPLE, out);
    }
}

} // namespace opbench
