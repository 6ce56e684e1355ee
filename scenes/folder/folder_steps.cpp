// scenes/folder/folder_steps.cpp: launches, memsets and copies of a description, and the steps that
// they are at a configuration.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "scenes/base/half.h"
#include "scenes/base/user_argument.h"
#include "scenes/folder/folder_model.h"
#include "scenes/host/nearest.h"

namespace warpscope::folder {
namespace {

constexpr std::size_t kMostArguments = 200, kMostSteps = 100;
const std::vector<const char*> kKernelKeys = {"source",    "entry",    "define",  "grid",
                                              "block",     "shared",   "cluster", "cooperative",
                                              "arguments", "constants"};
constexpr const char* kWriteArgument =
    "write a buffer's name, a value such as i32:n, i64:2 * n or f32:0.5, struct:{x,i32:n} or "
    "map:{x,f16,(64,n),(128),(64,64)}";

struct ScalarType {
  const char* word;
  ElementType type;
};
constexpr ScalarType kScalars[] = {{"i32", ElementType::i32}, {"i64", ElementType::i64},
                                   {"u64", ElementType::i64}, {"u32", ElementType::u32},
                                   {"f32", ElementType::f32}, {"f64", ElementType::f64}};

// Only as members of a structure.
constexpr ScalarType kNarrowScalars[] = {{"u8", ElementType::u8},
                                         {"i8", ElementType::i8},
                                         {"u16", ElementType::u16},
                                         {"f16", ElementType::f16},
                                         {"bf16", ElementType::bf16}};

const ScalarType* scalar_type(const std::string& word, bool narrow_too) {
  const auto is_it = [&word](const ScalarType& s) { return word == s.word; };
  const auto* wide = std::find_if(std::begin(kScalars), std::end(kScalars), is_it);
  if (wide != std::end(kScalars)) return wide;
  const auto* narrow = std::find_if(std::begin(kNarrowScalars), std::end(kNarrowScalars), is_it);
  return narrow_too && narrow != std::end(kNarrowScalars) ? narrow : nullptr;
}

std::vector<std::string> sorted(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

ArgumentRow read_argument(const Fields& fields, const std::string& text, const FolderModel& model,
                          const std::set<std::string>& buffers, int depth = 0);

// "struct:{x,i32:n}"
ArgumentRow read_record(const Fields& fields, const std::string& text, const FolderModel& model,
                        const std::set<std::string>& buffers, int depth) {
  constexpr int kMostNesting = 8;
  ArgumentRow row;
  std::string_view inside = std::string_view(text).substr(std::string_view("struct:").size());
  if (!inside.starts_with('{') || !inside.ends_with('}') || depth > kMostNesting) {
    fields.refuse("arguments", "“" + text + "” is not a structure",
                  "write its members in braces: struct:{x,i32:n}");
    return row;
  }
  inside = inside.substr(1, inside.size() - 2);
  for (const std::string_view member : members_in(inside))
    row.members.push_back(read_argument(fields, std::string(member), model, buffers, depth + 1));
  return row;
}

ArgumentRow read_map_row(const Fields& fields, const std::string& text, const FolderModel& model,
                         const std::set<std::string>& buffers) {
  ArgumentRow row;
  const MapText read = read_map(fields, text, model);
  if (read.map != nullptr) row = read_argument(fields, read.buffer, model, buffers);
  row.map = read.map;
  return row;
}

// The bytes after the + of an argument; false: it is not a number.
bool read_offset(const std::string& text, std::int64_t& bytes) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return failed == std::errc() && end == text.data() + text.size() && bytes >= 0;
}

ArgumentRow read_argument(const Fields& fields, const std::string& text, const FolderModel& model,
                          const std::set<std::string>& buffers, int depth) {
  ArgumentRow row;
  if (text.starts_with("struct:")) return read_record(fields, text, model, buffers, depth);
  if (text.starts_with("map:")) return read_map_row(fields, text, model, buffers);
  if (text.starts_with("bytes:")) {
    const Result<UserArgument> bytes = parse_user_argument(text);
    if (bytes)
      row.raw = bytes->raw;
    else
      fields.refuse("arguments", bytes.error().what, "write bytes:0x0700, two digits per byte");
    return row;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const std::size_t plus = text.find('+');
    row.buffer = text.substr(0, plus);
    if (buffers.count(row.buffer) == 0) {
      fields.refuse("arguments", "there is no buffer “" + row.buffer + "” to pass here",
                    suggest(row.buffer, sorted(buffers)) + "; " + kWriteArgument);
    }
    if (plus != std::string::npos && !read_offset(text.substr(plus + 1), row.offset_bytes))
      fields.refuse("arguments", "“" + text.substr(plus + 1) + "” is not a number of bytes",
                    "write BUFFER+256: its address 256 bytes from its beginning");
    return row;
  }
  const std::string word = text.substr(0, colon);
  const ScalarType* scalar = scalar_type(word, depth > 0);
  if (scalar == nullptr) {
    fields.refuse("arguments", "“" + word + "” is not a type of value",
                  depth > 0 ? "values are i32, i64, u32, u64, f32, f64, u8, i8, u16, f16 or bf16"
                            : "values are i32, i64, u32, u64, f32 or f64");
    return row;
  }
  row.type = scalar->type;
  Node value;
  value.kind = Node::Kind::text;
  value.text = text.substr(colon + 1);
  const Node* node = fields.find("arguments");
  value.line = node->line;
  row.value = fields.expression(value, fields.at("arguments"), model.scope.names());
  return row;
}

std::vector<DefineRow> read_defines(const Fields& fields, const FolderModel& model) {
  std::vector<DefineRow> rows;
  for (const Node* node : fields.tables("define")) {
    DefineRow row;
    row.name = node->key;
    if (!is_identifier(node->key)) {
      fields.refuse("define", "“" + node->key + "” is not the name of a macro",
                    "use letters, digits and _, starting with a letter");
    }
    const Axis* axis = find_axis(model.scope.axes(), node->text);
    if (node->kind == Node::Kind::text && axis != nullptr && axis->kind == AxisKind::choice) {
      row.choice = axis->name;
    } else {
      row.value = fields.expression(*node, fields.at("define." + node->key), model.scope.names());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

KernelRow read_kernel_row(const Fields& fields, const std::string& entry, const FolderModel& model,
                          const std::set<std::string>& buffers) {
  KernelRow row;
  row.source = fields.text("source", model.source);
  row.entry = fields.text("entry", entry);
  if (row.source.empty()) {
    fields.refuse("source", "the file with the kernel is not named",
                  "write source = \"NAME.cu\", here or at the top of the description");
  } else if (model.files.count(row.source) == 0) {
    fields.refuse("source", "there is no file " + row.source + " beside the description",
                  suggest(row.source, sorted(model.files)));
  }
  row.defines = read_defines(fields, model);
  if (fields.requires_key("grid", "write grid = \"ceil_div(n, 256)\": blocks in x, or [x, y, z]"))
    row.grid = fields.expressions("grid", 3, model.scope.names());
  if (fields.requires_key("block", "write block = 256: threads in x, or [x, y, z]"))
    row.block = fields.expressions("block", 3, model.scope.names());
  row.shared = fields.expression("shared", model.scope.names());
  row.cluster = fields.expressions("cluster", 3, model.scope.names());
  row.cooperative = fields.truth("cooperative", false);
  const std::vector<std::string> arguments = fields.texts("arguments");
  if (arguments.size() > kMostArguments)
    fields.refuse("arguments", "a kernel has fewer than 200 arguments", kWriteArgument);
  for (const std::string& text : arguments)
    row.arguments.push_back(read_argument(fields, text, model, buffers));
  for (const Node* node : fields.tables("constants")) {
    if (node->kind != Node::Kind::text || buffers.count(node->text) == 0) {
      fields.refuse("constants." + node->key,
                    node->kind != Node::Kind::text ? "it is not the name of a buffer"
                                                   : "there is no buffer “" + node->text + "”",
                    node->kind != Node::Kind::text ? "write constants = { ARRAY = \"BUFFER\" }"
                                                   : suggest(node->text, sorted(buffers)));
    }
    row.constants.emplace_back(node->key, node->text);
  }
  return row;
}

void known_buffer(const Fields& fields, const char* key, const std::set<std::string>& buffers) {
  if (const std::string name = fields.text(key); buffers.count(name) == 0)
    fields.refuse(key, "there is no buffer “" + name + "”", suggest(name, sorted(buffers)));
}

StepRow read_step(const Fields& fields, const std::string& name, const std::string& entry,
                  const FolderModel& model, const std::set<std::string>& buffers, bool of_list) {
  StepRow row;
  row.name = fields.has("name") ? fields.text("name") : name;
  row.phase = static_cast<Phase>(fields.word("phase", 1, {"prepare", "run"}));
  // If the table is a variant as well, `applies` says where the variant exists.
  if (of_list) row.applies = fields.expression("applies", model.scope.names());
  const auto unused = [&fields](std::vector<const char*> keys, const char* what) {
    keys.insert(keys.end(), kKernelKeys.begin(), kKernelKeys.end());
    fields.refuse_unused(keys, what, "remove it, or write two steps");
  };
  if (fields.has("memset")) {
    unused({"copy", "to"}, "memset");
    known_buffer(fields, "memset", buffers);
    const auto byte = fields.expression("value", {});
    const double value = byte ? byte->value([](const std::string&) { return 0.0; }) : 0;
    if (!(value >= 0 && value <= 255 && value == std::floor(value)))
      fields.refuse("value", "a memset writes one byte value", "write 0 to 255");
    else
      row.action = Memset{fields.text("memset"), static_cast<std::uint8_t>(value)};
  } else if (fields.has("copy")) {
    unused({"value"}, "copy");
    known_buffer(fields, "copy", buffers);
    known_buffer(fields, "to", buffers);
    row.action = DeviceCopy{fields.text("copy"), fields.text("to")};
  } else {
    fields.refuse_unused({"value", "to"}, "a kernel", "remove it, or write memset or copy");
    row.action = read_kernel_row(fields, entry, model, buffers);
  }
  return row;
}

// --- at a configuration ---

Error placed(Error error, const std::string& what) {
  error.where = what;
  return error;
}

Result<Dim3> shape_of(const std::vector<Expression>& extents, const Expression::Lookup& lookup,
                      const std::string& what) {
  Dim3 shape;
  std::int64_t* sizes[] = {&shape.x, &shape.y, &shape.z};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Result<std::int64_t> size = extents[i].whole(lookup);
    if (size && *size < 1) {
      size = failure(ErrorKind::usage,
                     "“" + extents[i].text() + "” is " + std::to_string(*size) + " here", "",
                     "a launch has at least one block of one thread: use max(1, …)");
    }
    if (!size) return tl::unexpected(placed(size.error(), what));
    *sizes[i] = *size;
  }
  return shape;
}

template <typename T>
Result<Argument> whole_argument(const Expression& value, const Expression::Lookup& lookup) {
  const Result<std::int64_t> number = value.whole(lookup);
  if (!number) return tl::unexpected(number.error());
  using Limits = std::numeric_limits<T>;
  const bool low =
      *number < 0 && (!Limits::is_signed || *number < static_cast<std::int64_t>(Limits::lowest()));
  const bool high = *number > 0 &&
                    static_cast<std::uint64_t>(*number) > static_cast<std::uint64_t>(Limits::max());
  if (!low && !high) return Argument(static_cast<T>(*number));
  return failure(ErrorKind::usage,
                 "“" + value.text() + "” is " + std::to_string(*number) +
                     ", which does not fit in " + to_text(element_type_of<T>()),
                 "", "choose a smaller size, or pass i64");
}

Result<Argument> argument_of(const ArgumentRow& row, const Expression::Lookup& lookup);

template <typename T>
Result<HostArray> narrow_value(const Expression& value, const Expression::Lookup& lookup) {
  return value.whole(lookup).map([](std::int64_t number) {
    const auto narrow = static_cast<T>(number);
    return HostArray::of(std::span<const T>(&narrow, 1));
  });
}

Result<HostArray> half_value(ElementType type, const Expression& value,
                             const Expression::Lookup& lookup) {
  return value.finite(lookup).map([type](double number) {
    HostArray half(type, 1);
    const auto single = static_cast<float>(number);
    half.as<std::uint16_t>()[0] = type == ElementType::f16 ? to_f16(single) : to_bf16(single);
    return half;
  });
}

// A member in the words of UserArgument, which lays a structure out as C++ does.
Result<UserArgument> member_of(const ArgumentRow& row, const Expression::Lookup& lookup) {
  UserArgument member;
  if (row.map != nullptr) return map_member(row);
  if (!row.buffer.empty()) return reference_to(row);
  if (!row.raw.empty()) {
    member.kind = UserArgument::Kind::raw;
    member.raw = row.raw;
    return member;
  }
  if (!row.value) {
    member.kind = UserArgument::Kind::record;
    for (const ArgumentRow& inner : row.members) {
      Result<UserArgument> one = member_of(inner, lookup);
      if (!one) return one;
      member.members.push_back(std::move(*one));
    }
    return member;
  }
  member.type = row.type;
  Result<HostArray> value;
  if (row.type == ElementType::u8 || row.type == ElementType::i8) {
    value = narrow_value<std::uint8_t>(*row.value, lookup);
  } else if (row.type == ElementType::u16) {
    value = narrow_value<std::uint16_t>(*row.value, lookup);
  } else if (row.type == ElementType::f16 || row.type == ElementType::bf16) {
    value = half_value(row.type, *row.value, lookup);
  } else {
    const Result<Argument> scalar = argument_of(row, lookup);
    if (!scalar) return tl::unexpected(scalar.error());
    std::visit(
        [&](const auto& number) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(number)>> &&
                        !std::is_same_v<std::decay_t<decltype(number)>, std::uint64_t>)
            value = HostArray::of(std::span(&number, 1));
        },
        *scalar);
  }
  if (!value) return tl::unexpected(value.error());
  member.value = std::move(*value);
  return member;
}

// The rows with a buffer, in the order in which a structure is laid out.
void add_addresses(const ArgumentRow& row, std::vector<const ArgumentRow*>& rows) {
  if (!row.buffer.empty()) rows.push_back(&row);
  for (const ArgumentRow& member : row.members) add_addresses(member, rows);
}

Result<Argument> record_of(const ArgumentRow& row, const Expression::Lookup& lookup) {
  const Result<UserArgument> record = member_of(row, lookup);
  if (!record) return tl::unexpected(record.error());
  RecordArgument argument;
  LaidOut all = laid_out(*record, [](const UserArgument&) { return std::uint64_t{0}; });
  argument.bytes = std::move(all.bytes);
  std::vector<const ArgumentRow*> rows;
  add_addresses(row, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->map == nullptr) {
      argument.addresses.emplace_back(all.addresses[i],
                                      BufferArgument{rows[i]->buffer, rows[i]->offset_bytes});
      continue;
    }
    Result<TensorMapArgument> map = map_at(*rows[i], lookup);
    if (!map) return tl::unexpected(map.error());
    argument.maps.emplace_back(all.addresses[i], std::move(*map));
  }
  return Argument(std::move(argument));
}

Result<Argument> argument_of(const ArgumentRow& row, const Expression::Lookup& lookup) {
  if (row.map != nullptr)
    return map_at(row, lookup).map([](TensorMapArgument map) { return Argument(std::move(map)); });
  if (!row.buffer.empty()) return Argument(BufferArgument{row.buffer, row.offset_bytes});
  if (!row.value) return record_of(row, lookup);
  switch (row.type) {
    case ElementType::i64:
      return whole_argument<std::int64_t>(*row.value, lookup);
    case ElementType::u32:
      return whole_argument<std::uint32_t>(*row.value, lookup);
    case ElementType::f32:
      return row.value->finite(lookup).map(
          [](double value) { return Argument(static_cast<float>(value)); });
    case ElementType::f64:
      return row.value->finite(lookup).map([](double value) { return Argument(value); });
    default:
      return whole_argument<std::int32_t>(*row.value, lookup);
  }
}

Result<void> set_defines(const KernelRow& row, const FolderModel& model, const Configuration& axes,
                         const Expression::Lookup& lookup, const std::string& variant,
                         KernelLaunch& kernel) {
  const auto set = [&kernel](const std::string& name, std::string value) {
    for (auto& [known, old] : kernel.defines) {
      if (known == name) return void(old = std::move(value));
    }
    kernel.defines.emplace_back(name, std::move(value));
  };
  for (const DefineRow& define : row.defines) {
    if (!define.choice.empty()) {
      const Axis& axis = *find_axis(model.scope.axes(), define.choice);
      set(define.name, to_text(value_of(axis, axes, variant)));
      continue;
    }
    const Result<double> value = define.value->finite(lookup);
    if (!value) return tl::unexpected(placed(value.error(), "define " + define.name));
    const bool whole = *value == std::floor(*value) && std::abs(*value) < 1e15;
    set(define.name,
        whole ? std::to_string(static_cast<std::int64_t>(*value)) : to_text(AxisValue(*value)));
  }
  return {};
}

// Grid, block and shared bytes, as far as the row has them.
Result<void> set_shape(const KernelRow& row, const Expression::Lookup& lookup,
                       KernelLaunch& kernel) {
  struct Shape {
    const std::vector<Expression>& extents;
    Dim3& to;
    const char* name;
  };
  for (const Shape& one : {Shape{row.grid, kernel.launch.grid, "grid of "},
                           Shape{row.block, kernel.launch.block, "block of "},
                           Shape{row.cluster, kernel.launch.cluster, "cluster of "}}) {
    if (one.extents.empty()) continue;
    Result<Dim3> shape = shape_of(one.extents, lookup, one.name + row.entry);
    if (!shape) return tl::unexpected(shape.error());
    one.to = *shape;
  }
  kernel.launch.cooperative |= row.cooperative;
  if (!row.shared) return {};
  Result<std::int64_t> bytes = row.shared->whole(lookup);
  if (bytes && *bytes < 0)
    bytes = failure(ErrorKind::usage, "“" + row.shared->text() + "” is below 0 here", "",
                    "give 0 or more bytes");
  if (!bytes) return tl::unexpected(placed(bytes.error(), "shared of " + row.entry));
  kernel.launch.dynamic_shared_bytes = *bytes;
  return {};
}

Result<KernelLaunch> launch_of(const KernelRow& row, const FolderModel& model,
                               const Configuration& axes, const Expression::Lookup& lookup,
                               const std::string& variant) {
  KernelLaunch kernel;
  kernel.source = model.name + "/" + row.source;
  kernel.entry = row.entry;
  kernel.any_text = true;
  Result<void> set = set_defines(row, model, axes, lookup, variant, kernel);
  if (set) set = set_shape(row, lookup, kernel);
  if (!set) return tl::unexpected(set.error());
  for (std::size_t i = 0; i < row.arguments.size(); ++i) {
    Result<Argument> argument = argument_of(row.arguments[i], lookup);
    if (!argument) {
      return tl::unexpected(
          placed(argument.error(), "argument " + std::to_string(i + 1) + " of " + row.entry));
    }
    kernel.arguments.push_back(std::move(*argument));
  }
  return kernel;
}

}  // namespace

std::vector<const char*> step_keys(std::initializer_list<const char*> others) {
  std::vector<const char*> keys = {"source", "entry",   "define",      "grid",      "block",
                                   "shared", "cluster", "cooperative", "arguments", "constants",
                                   "memset", "value",   "copy",        "to",        "steps"};
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

std::vector<StepRow> read_steps(const Fields& table, const std::string& entry,
                                const FolderModel& model, const std::set<std::string>& buffers) {
  std::vector<StepRow> rows;
  if (!table.has("steps")) {
    rows.push_back(read_step(table, entry, entry, model, buffers, false));
    return rows;
  }
  std::vector<const char*> others = step_keys({});
  others.erase(std::remove(others.begin(), others.end(), std::string_view("steps")), others.end());
  table.refuse_unused(others, "steps", "write it in each step that needs it");
  const std::vector<const Node*> nodes = table.list("steps");
  if (nodes.empty() || nodes.size() > kMostSteps)
    table.refuse("steps", "there are 1 to 100 steps", "write steps = [{ memset = \"y\" }, { … }]");
  std::set<std::string> names;
  for (const Node* node : nodes) {
    const std::string number = std::to_string(rows.size() + 1);
    const Fields fields(
        table.errors(), *node, table.at("steps " + number),
        {"name", "phase", "applies", "source", "entry", "define", "grid", "block", "shared",
         "cluster", "cooperative", "arguments", "constants", "memset", "value", "copy", "to"});
    const std::string name = fields.has("memset") ? "clear " + fields.text("memset")
                             : fields.has("copy") ? "copy " + fields.text("copy")
                                                  : fields.text("entry", entry);
    rows.push_back(read_step(fields, name, entry, model, buffers, true));
    if (!names.insert(rows.back().name).second)
      fields.refuse("name", "two steps have the name “" + rows.back().name + "”",
                    "give each its own name");
  }
  return rows;
}

KernelRow read_relaunch(const Fields& table, const FolderModel& model) {
  KernelRow row;
  row.entry = table.path();
  row.grid = table.expressions("grid", 3, model.scope.names());
  row.block = table.expressions("block", 3, model.scope.names());
  row.shared = table.expression("shared", model.scope.names());
  row.defines = read_defines(table, model);
  return row;
}

Result<void> relaunch(const KernelRow& row, const FolderModel& model, const Configuration& axes,
                      const std::string& variant, KernelLaunch& kernel) {
  const Expression::Lookup lookup = model.scope.at(axes, variant);
  // Which block has how much work was said of another grid.
  if (!row.grid.empty() || !row.block.empty()) kernel.block_work = nullptr;
  return set_shape(row, lookup, kernel).and_then([&] {
    return set_defines(row, model, axes, lookup, variant, kernel);
  });
}

void add_buffers(const ArgumentRow& argument, std::set<std::string>& names) {
  if (!argument.buffer.empty()) names.insert(argument.buffer);
  for (const ArgumentRow& member : argument.members) add_buffers(member, names);
}

std::set<std::string> buffers_of(const std::vector<StepRow>& rows) {
  std::set<std::string> names;
  for (const StepRow& row : rows) {
    if (const auto* kernel = std::get_if<KernelRow>(&row.action)) {
      for (const ArgumentRow& argument : kernel->arguments) add_buffers(argument, names);
      for (const auto& [array, buffer] : kernel->constants) names.insert(buffer);
    } else if (const auto* memset = std::get_if<Memset>(&row.action)) {
      names.insert(memset->buffer);
    } else {
      const auto& copy = std::get<DeviceCopy>(row.action);
      names.insert({copy.from, copy.to});
    }
  }
  return names;
}

namespace {

// Tells every launch and copy of one text the instances of templates that the others name.
void share_instances(std::vector<Step>& steps) {
  const auto set = [&steps](const auto& of, std::vector<std::string>& instances) {
    std::set<std::string> names;
    for (const Step& step : steps) {
      const auto* other = std::get_if<KernelLaunch>(&step.action);
      if (other == nullptr || other->source != of.source || other->defines != of.defines) continue;
      if (other->entry.find('<') != std::string::npos) names.insert(other->entry);
    }
    instances.assign(names.begin(), names.end());
  };
  for (Step& step : steps) {
    if (auto* kernel = std::get_if<KernelLaunch>(&step.action)) set(*kernel, kernel->instances);
    if (auto* copy = std::get_if<ConstantCopy>(&step.action)) set(*copy, copy->instances);
  }
}

}  // namespace

Result<std::vector<Step>> make_steps(const std::vector<StepRow>& rows, const FolderModel& model,
                                     const Configuration& axes, const std::string& variant) {
  const Expression::Lookup lookup = model.scope.at(axes, variant);
  std::vector<Step> steps;
  for (const StepRow& row : rows) {
    if (row.applies && row.applies->value(lookup) == 0) continue;
    Step step{row.name, row.phase, Memset{}};
    if (const auto* kernel = std::get_if<KernelRow>(&row.action)) {
      Result<KernelLaunch> launch = launch_of(*kernel, model, axes, lookup, variant);
      if (!launch) return tl::unexpected(launch.error());
      for (const auto& [array, buffer] : kernel->constants) {
        steps.push_back({buffer + " to constant " + array, Phase::prepare,
                         ConstantCopy{.source = launch->source,
                                      .defines = launch->defines,
                                      .symbol = array,
                                      .from = buffer,
                                      .any_text = true}});
      }
      step.action = std::move(*launch);
    } else if (const auto* memset = std::get_if<Memset>(&row.action)) {
      step.action = *memset;
    } else {
      step.action = std::get<DeviceCopy>(row.action);
    }
    steps.push_back(std::move(step));
  }
  share_instances(steps);
  return steps;
}

}  // namespace warpscope::folder
