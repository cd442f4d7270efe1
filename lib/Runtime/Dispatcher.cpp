//===- Dispatcher.cpp - Prepared calls of any operator (LibTorch's C++) -----===//
//
// The long tail of operators. A call is parsed once against the operator's schema: the handle is looked up, constants
// are converted to IValues of the types that the schema asks for, and places are left for tensors. Running it copies
// that stack, puts the tensors in, and calls the boxed kernel.
//
//===----------------------------------------------------------------------===//
#include "Device.h"
#include "Guarded.h"
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/core/stack.h>
#include <cstdlib>
#include <memory>
#include <sstream>

using namespace trace_rt;

namespace {

//===----------------------------------------------------------------------===//
// The text of an argument
//===----------------------------------------------------------------------===//

struct Token {
  enum Kind { Tensor, None, Int, Float, Bool, String, List } kind = None;
  int64_t integer = 0; // Tensor: operand number
  double real = 0;
  std::string text;
  std::vector<Token> elements;
};

class Parser {
public:
  explicit Parser(const char *at) : at(at) {}

  bool atEnd() {
    skip();
    return *at == 0;
  }

  Token parse() {
    skip();
    Token token;
    char kind = *at ? *at++ : 0;
    char *end = nullptr;
    switch (kind) {
    case 'T':
      token.kind = Token::Tensor;
      token.integer = std::strtoll(at, &end, 10);
      break;
    case 'I':
      token.kind = Token::Int;
      token.integer = std::strtoll(at, &end, 10);
      break;
    case 'D':
      token.kind = Token::Float;
      token.real = std::strtod(at, &end);
      break;
    case 'B':
      token.kind = Token::Bool;
      token.integer = std::strtoll(at, &end, 10);
      break;
    case 'N':
      return token;
    case 'S': {
      token.kind = Token::String;
      int64_t length = std::strtoll(at, &end, 10);
      TORCH_CHECK(end && *end == ':' && length >= 0, "malformed string in a call's text");
      token.text.assign(end + 1, static_cast<size_t>(length));
      end += 1 + length;
      break;
    }
    case '[':
      token.kind = Token::List;
      for (skip(); *at && *at != ']'; skip())
        token.elements.push_back(parse());
      TORCH_CHECK(*at == ']', "a list in a call's text does not end");
      ++at;
      return token;
    default:
      TORCH_CHECK(false, "malformed argument in a call's text");
    }
    TORCH_CHECK(end != at, "malformed number in a call's text");
    at = end;
    return token;
  }

private:
  void skip() {
    while (*at == ' ')
      ++at;
  }
  const char *at;
};

//===----------------------------------------------------------------------===//
// Conversion to what a schema asks for
//===----------------------------------------------------------------------===//

int64_t namedInteger(const std::string &name) {
  static const std::pair<const char *, c10::ScalarType> types[] = {
      {"float32", c10::kFloat},
      {"float", c10::kFloat},
      {"float64", c10::kDouble},
      {"double", c10::kDouble},
      {"float16", c10::kHalf},
      {"half", c10::kHalf},
      {"bfloat16", c10::kBFloat16},
      {"uint8", c10::kByte},
      {"int8", c10::kChar},
      {"int16", c10::kShort},
      {"short", c10::kShort},
      {"int32", c10::kInt},
      {"int", c10::kInt},
      {"int64", c10::kLong},
      {"long", c10::kLong},
      {"bool", c10::kBool},
      {"complex64", c10::kComplexFloat},
      {"cfloat", c10::kComplexFloat},
      {"complex128", c10::kComplexDouble},
      {"cdouble", c10::kComplexDouble},
      {"complex32", c10::kComplexHalf},
      {"float8_e4m3fn", c10::kFloat8_e4m3fn},
      {"float8_e5m2", c10::kFloat8_e5m2},
      {"uint16", c10::kUInt16},
      {"uint32", c10::kUInt32},
      {"uint64", c10::kUInt64},
  };
  static const std::pair<const char *, c10::MemoryFormat> formats[] = {
      {"contiguous_format", c10::MemoryFormat::Contiguous},
      {"preserve_format", c10::MemoryFormat::Preserve},
      {"channels_last", c10::MemoryFormat::ChannelsLast},
      {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
  };
  std::string bare = name.rfind("torch.", 0) == 0 ? name.substr(6) : name;
  for (auto [key, value] : types)
    if (bare == key)
      return static_cast<int64_t>(value);
  for (auto [key, value] : formats)
    if (bare == key)
      return static_cast<int64_t>(value);
  if (bare == "strided")
    return static_cast<int64_t>(c10::Layout::Strided);
  TORCH_CHECK(false, "'", name, "' is no dtype, layout or memory format that is known here");
}

/// What a list argument of tensors is made of.
struct TensorList {
  size_t argument;
  bool optional;
  std::vector<int64_t> operands; // -1: None
};

struct Call {
  c10::OperatorHandle op;
  torch::jit::Stack stack;
  std::vector<std::pair<size_t, int64_t>> tensors; // argument, operand
  std::vector<TensorList> lists;
  size_t returns = 0;
  int64_t operands = 0;

  explicit Call(c10::OperatorHandle op) : op(op) {}
};

using c10::TypeKind;

int64_t toInt(const Token &token) {
  if (token.kind == Token::Int || token.kind == Token::Bool)
    return token.integer;
  if (token.kind == Token::String)
    return namedInteger(token.text);
  TORCH_CHECK(token.kind == Token::Float && token.real == static_cast<double>(static_cast<int64_t>(token.real)),
              "an integer is needed");
  return static_cast<int64_t>(token.real);
}

double toFloat(const Token &token) {
  TORCH_CHECK(token.kind == Token::Float || token.kind == Token::Int || token.kind == Token::Bool, "a float is needed");
  return token.kind == Token::Float ? token.real : static_cast<double>(token.integer);
}

c10::IValue scalarOf(const Token &token) {
  switch (token.kind) {
  case Token::Int:
    return token.integer;
  case Token::Bool:
    return token.integer != 0;
  case Token::Float:
    return token.real;
  default:
    TORCH_CHECK(false, "a number is needed");
  }
}

/// A device by its name. A compiled function runs on one: whatever name its graph had for it, that is where its tensors
/// are.
c10::Device deviceFor(const std::string &name) {
  const Place &place = here();
  return place.kind == TRACE_DEVICE_CUDA
             ? c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(place.index))
             : c10::Device(name);
}

/// A constant of the schema's type. Tensors are not handled here.
c10::IValue convert(const Token &token, const c10::TypePtr &type, std::optional<int32_t> listSize) {
  if (auto optional = type->cast<c10::OptionalType>()) {
    if (token.kind == Token::None)
      return {};
    return convert(token, optional->getElementType(), listSize);
  }
  switch (type->kind()) {
  case TypeKind::IntType:
  case TypeKind::SymIntType:
  case TypeKind::ScalarTypeType:
  case TypeKind::LayoutType:
  case TypeKind::MemoryFormatType:
    return toInt(token);
  case TypeKind::FloatType:
  case TypeKind::SymFloatType:
    return toFloat(token);
  case TypeKind::BoolType:
  case TypeKind::SymBoolType:
    TORCH_CHECK(token.kind == Token::Bool || token.kind == Token::Int, "a bool is needed");
    return token.integer != 0;
  case TypeKind::NumberType:
    return scalarOf(token);
  case TypeKind::StringType:
    TORCH_CHECK(token.kind == Token::String, "a string is needed");
    return token.text;
  case TypeKind::DeviceObjType:
    TORCH_CHECK(token.kind == Token::String, "a device is needed");
    return deviceFor(token.text);
  case TypeKind::TensorType:
    // Only None gets here: an absent tensor that is not optional in the schema.
    TORCH_CHECK(token.kind == Token::None, "a tensor is needed");
    return at::Tensor();
  case TypeKind::ListType: {
    // A single number stands for a list of as many as the schema says (int[2] stride=1).
    std::vector<Token> elements = token.elements;
    if (token.kind != Token::List) {
      TORCH_CHECK(token.kind != Token::None, "a list is needed");
      elements.assign(listSize.value_or(1), token);
    }
    c10::TypePtr element = type->castRaw<c10::ListType>()->getElementType();
    c10::impl::GenericList list(element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element);
    for (const Token &each : elements)
      list.push_back(convert(each, element, std::nullopt));
    return list;
  }
  default:
    TORCH_CHECK(false, "arguments of type ", type->str(), " are not supported");
  }
}

bool isTensor(const c10::TypePtr &type) {
  if (auto optional = type->cast<c10::OptionalType>())
    return isTensor(optional->getElementType());
  return type->kind() == TypeKind::TensorType;
}

/// The list of tensors that `type` asks for, or null; through one optional.
const c10::ListType *tensorList(const c10::TypePtr &type) {
  if (auto optional = type->cast<c10::OptionalType>())
    return tensorList(optional->getElementType());
  const auto *list = type->castRaw<c10::ListType>();
  return list && isTensor(list->getElementType()) ? list : nullptr;
}

void addArgument(Call &call, const c10::Argument &argument, const Token &token) {
  size_t place = call.stack.size();
  const c10::TypePtr &type = argument.type();
  if (token.kind == Token::Tensor) {
    call.operands = std::max(call.operands, token.integer + 1);
    if (const c10::ListType *list = tensorList(type)) { // one tensor where a list is asked for
      call.lists.push_back({place, list->getElementType()->kind() == TypeKind::OptionalType, {token.integer}});
    } else {
      // A number given as a 0-d tensor is read when the call runs.
      TORCH_CHECK(isTensor(type) || type->kind() == TypeKind::NumberType, "argument '", argument.name(),
                  "' is no tensor");
      call.tensors.emplace_back(place, token.integer);
    }
    call.stack.emplace_back();
    return;
  }
  const c10::ListType *list = tensorList(type);
  if (token.kind == Token::List && list) {
    TensorList tensors{place, list->getElementType()->kind() == TypeKind::OptionalType, {}};
    for (const Token &each : token.elements) {
      TORCH_CHECK(each.kind == Token::Tensor || each.kind == Token::None, "argument '", argument.name(),
                  "' takes tensors only");
      tensors.operands.push_back(each.kind == Token::Tensor ? each.integer : -1);
      call.operands = std::max(call.operands, tensors.operands.back() + 1);
    }
    call.lists.push_back(std::move(tensors));
    call.stack.emplace_back();
    return;
  }
  bool optional = type->kind() == TypeKind::OptionalType;
  if (token.kind == Token::None && !optional && argument.default_value()) {
    call.stack.push_back(*argument.default_value());
    return;
  }
  // Types like ScalarType are integers in a schema's type, told apart in its real type only.
  call.stack.push_back(convert(token, type, argument.N()));
}

std::unique_ptr<Call> parseCall(const char *text) {
  std::string whole(text);
  size_t first = whole.find('|'), second = whole.find('|', first + 1);
  TORCH_CHECK(first != std::string::npos && second != std::string::npos, "malformed call: ", whole);
  std::string name = whole.substr(0, first), overload = whole.substr(first + 1, second - first - 1);
  auto op = c10::Dispatcher::singleton().findSchema({name, overload});
  TORCH_CHECK(op, "there is no operator ", name, overload.empty() ? "" : ".", overload);
  auto call = std::make_unique<Call>(*op);
  const c10::FunctionSchema &schema = op->schema();
  Parser parser(text + second + 1);
  for (const c10::Argument &argument : schema.arguments()) {
    if (parser.atEnd()) {
      TORCH_CHECK(argument.default_value(), name, " needs its argument '", argument.name(), "'");
      call->stack.push_back(*argument.default_value());
      continue;
    }
    try {
      addArgument(*call, argument, parser.parse());
    } catch (const c10::Error &error) {
      TORCH_CHECK(false, name, ", argument '", argument.name(), "': ", error.what_without_backtrace());
    }
  }
  TORCH_CHECK(parser.atEnd(), name, " takes ", schema.arguments().size(), " arguments, more are given");
  // An operator that makes a tensor of nothing makes it where the function runs.
  if (here().kind == TRACE_DEVICE_CUDA && call->tensors.empty() && call->lists.empty())
    for (size_t i = 0; i < schema.arguments().size(); ++i)
      if (schema.arguments()[i].name() == "device" && call->stack[i].isNone())
        call->stack[i] = deviceFor("cpu");
  call->returns = schema.returns().size();
  return call;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

const at::Tensor &tensorOf(const TraceTensor *operands, int64_t i) {
  return *static_cast<const at::Tensor *>(operands[i]);
}

void fill(const Call &call, torch::jit::Stack &stack, const TraceTensor *operands) {
  for (auto [argument, operand] : call.tensors) {
    const at::Tensor &tensor = tensorOf(operands, operand);
    if (call.op.schema().arguments()[argument].type()->kind() == TypeKind::NumberType)
      stack[argument] = tensor.item();
    else
      stack[argument] = tensor;
  }
  for (const TensorList &list : call.lists) {
    if (list.optional) {
      c10::List<std::optional<at::Tensor>> tensors;
      for (int64_t i : list.operands)
        tensors.push_back(i < 0 ? std::nullopt : std::optional<at::Tensor>(tensorOf(operands, i)));
      stack[list.argument] = std::move(tensors);
    } else {
      c10::List<at::Tensor> tensors;
      for (int64_t i : list.operands)
        tensors.push_back(i < 0 ? at::Tensor() : tensorOf(operands, i));
      stack[list.argument] = std::move(tensors);
    }
  }
}

/// What the caller was promised: element type and shape must be right, strides are made right.
at::Tensor fit(at::Tensor tensor, const TraceTensorDesc &desc, int64_t number) {
  at::IntArrayRef sizes(desc.sizes, desc.rank), strides(desc.strides, desc.rank);
  TORCH_CHECK(tensor.defined(), "result ", number, " is undefined");
  TORCH_CHECK(static_cast<int32_t>(tensor.scalar_type()) == torchType(desc.element_type) && tensor.sizes() == sizes,
              "gave a ", tensor.scalar_type(), " tensor of shape ", tensor.sizes(), " where a ",
              elementTypeName(desc.element_type), " tensor of shape ", sizes, " was expected");
  bool same = !tensor.is_neg() && !tensor.is_conj() && !tensor._is_zerotensor();
  for (int32_t d = 0; d < desc.rank && same; ++d)
    same = tensor.strides()[d] == strides[d] || sizes[d] == 1 || tensor.numel() == 0;
  if (same)
    return tensor;
  TraceTensor copy = nullptr;
  TORCH_CHECK(trace_rt_copy(&tensor, &desc, &copy) == 0, trace_rt_error());
  std::unique_ptr<at::Tensor> owned(static_cast<at::Tensor *>(copy));
  return std::move(*owned);
}

int run(const Call &call, const TraceTensor *operands, const TraceTensorDesc *const *descs, int64_t numResults,
        TraceTensor *results) {
  torch::jit::Stack stack = call.stack;
  fill(call, stack, operands);
  call.op.callBoxed(stack);
  std::vector<at::Tensor> tensors;
  for (size_t i = 0; i < call.returns; ++i) {
    const c10::IValue &value = stack[stack.size() - call.returns + i];
    if (value.isTensor())
      tensors.push_back(value.toTensor());
    else if (value.isTensorList())
      for (const at::Tensor &each : value.toTensorVector())
        tensors.push_back(each);
    else if (value.isNone()) // an optional tensor that is not there
      tensors.emplace_back();
  }
  const c10::OperatorName &name = call.op.operator_name();
  TORCH_CHECK(static_cast<int64_t>(tensors.size()) == numResults, c10::toString(name), " gave ", tensors.size(),
              " tensors where ", numResults, " were expected");
  for (int64_t i = 0; i < numResults; ++i) {
    if (!descs)
      continue;
    if (!descs[i])
      tensors[i] = at::Tensor();
    else
      tensors[i] = fit(std::move(tensors[i]), *descs[i], i);
  }
  for (int64_t i = 0; i < numResults; ++i)
    results[i] = tensors[i].defined() ? new at::Tensor(std::move(tensors[i])) : nullptr;
  return 0;
}

} // namespace

int trace_rt_call_create(const char *text, void **out) {
  return guardedTorch([&] {
    *out = parseCall(text).release();
    return 0;
  });
}

void trace_rt_call_free(void *call) { delete static_cast<Call *>(call); }

int trace_rt_call(void *call, const TraceTensor *operands, const TraceTensorDesc *const *descs, int64_t num_results,
                  TraceTensor *results) {
  return guardedTorch([&] {
    PoolScope scope;
    return run(*static_cast<Call *>(call), operands, descs, num_results, results);
  });
}
