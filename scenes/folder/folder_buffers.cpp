// scenes/folder/folder_buffers.cpp: buffers of a description, and what inputs and states begin as.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/folder/folder_model.h"
#include "scenes/host/enumerators.h"
#include "scenes/host/nearest.h"

namespace warpscope::folder {
namespace {

constexpr std::int64_t kMostElements = 1LL << 40;
constexpr std::uint64_t kSeed = 0x57A9;  // where there is no axis `seed`
constexpr const char* kSeedAxis = "seed";
constexpr std::uint64_t kFreshStep = 1'000'003;  // from the numbers of one random seed to fresh
                                                 // ones

void read_fill(const Fields& fields, FolderModel& model, BufferRow& row) {
  const int given = int{fields.has("fill")} + int{fields.has("element")} + int{fields.has("file")};
  if (given > 1)
    return fields.refuse("fill", "it has two initial values", "keep one of fill, element and file");
  const bool begins = row.role == BufferRole::input || row.role == BufferRole::state;
  if (!begins) {
    if (given > 0)
      fields.refuse("fill", "outputs and scratch are never filled",
                    "remove it, or use role = \"state\"");
    return;
  }
  row.fill.word = fields.text("fill", row.role == BufferRole::input ? "random" : "zero");
  const std::vector<std::string> words = fill_words();
  if (row.fill.word == "unset") {
    fields.refuse("fill", "an input cannot be unset", "write role = \"scratch\" or \"output\"");
  } else if (std::find(words.begin(), words.end(), row.fill.word) == words.end()) {
    fields.refuse("fill", "there is no fill “" + row.fill.word + "”",
                  suggest(row.fill.word, words) +
                      "; element = \"…\" takes an expression of i, file = \"…\" a .npy");
  }
  row.fill.element = fields.expression("element", model.scope.names(), Expression::Use::element);
  if (!fields.has("file")) return;
  const std::string file = fields.text("file");
  const auto found = model.data.find(file);
  if (found == model.data.end())
    return fields.refuse("file", "there is no file " + file + " beside the description",
                         "save it there with numpy.save, or correct its name");
  row.fill.file = found->second;
  // numpy has no bf16: its bits are kept as u16.
  const bool bits = row.type == ElementType::bf16 && row.fill.file->type == ElementType::u16;
  if (row.fill.file->type != row.type && !bits) {
    fields.refuse("file",
                  file + " has elements of type " + to_text(row.fill.file->type) + ", not " +
                      to_text(row.type),
                  std::string("write type = \"") + to_text(row.fill.file->type) + "\"");
  }
}

BufferRow read_buffer(const Node& node, FolderModel& model, DescriptionErrors& errors) {
  const Fields fields(
      errors, node, "buffers." + node.key,
      {"type", "role", "count", "shape", "symbol", "fill", "element", "file", "applies"});
  BufferRow row;
  row.name = node.key;
  row.line = node.line;
  if (!is_name(node.key) || node.key.find('.') != std::string::npos) {
    fields.refuse("", "“" + node.key + "” is not a valid name for a buffer",
                  "use letters, digits, _ and -");
  }
  // In the order of ElementType; u64 is kept as the bits of an i64.
  const std::size_t type =
      fields.word("type", static_cast<std::size_t>(ElementType::f32),
                  {"u8", "i8", "u16", "i32", "u32", "i64", "f16", "bf16", "f32", "f64", "u64"});
  row.type =
      type == kEnumeratorCount<ElementType> ? ElementType::i64 : static_cast<ElementType>(type);
  row.role =
      static_cast<BufferRole>(fields.word("role", 0, {"input", "output", "scratch", "state"}));
  const bool shaped = fields.has("shape");
  if (shaped == fields.has("count")) {
    fields.refuse("count", "it has neither count nor shape, or both",
                  "write count = \"n\", or shape = [\"rows\", \"columns\"]");
  }
  row.shape = fields.expressions(shaped ? "shape" : "count", shaped ? 6 : 1, model.scope.names());
  row.symbol = fields.text("symbol");
  if (row.symbol.empty()) {
    for (const Expression& extent : row.shape)
      row.symbol += (row.symbol.empty() ? "" : ", ") + extent.text();
    row.symbol = row.name + "[" + row.symbol + "]";
  }
  row.applies = fields.expression("applies", model.scope.names());
  read_fill(fields, model, row);
  return row;
}

// `fresh`: 0 the inputs as they are, others with other random numbers.
void make_elements(const FolderModel& model, const BufferRow& row, const Configuration& axes,
                   std::int64_t first, std::span<std::byte> bytes, std::uint64_t fresh = 0) {
  if (row.fill.file) {
    const auto offset = static_cast<std::size_t>(first * element_bytes(row.type));
    const std::string_view all = row.fill.file->bytes;
    const std::size_t there = offset < all.size() ? std::min(bytes.size(), all.size() - offset) : 0;
    std::transform(all.begin() + static_cast<std::ptrdiff_t>(std::min(offset, all.size())),
                   all.begin() + static_cast<std::ptrdiff_t>(std::min(offset, all.size()) + there),
                   bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    return;
  }
  const std::uint64_t seed =
      fresh * kFreshStep +
      (model.has_seed ? static_cast<std::uint64_t>(axes.integer(kSeedAxis)) : kSeed);
  if (row.fill.element) {
    const auto count = static_cast<std::int64_t>(bytes.size()) / element_bytes(row.type);
    std::vector<double> values(static_cast<std::size_t>(count));
    row.fill.element->elements(model.scope.at(axes), seed, first, values);
    return store_elements(row.type, values, bytes);
  }
  UserArgument argument;
  argument.type = row.type;
  argument.fill = row.fill.word;
  const Result<BufferSpec> spec = model.spec_of(row, axes);
  argument.count = spec ? spec->count : 1;
  fill_elements(argument, RandomStream(seed, row.stream), first, bytes);
}

// The axes that decide its elements.
std::vector<std::string> deciding_axes(const FolderModel& model, const BufferRow& row) {
  std::set<std::string> names;
  const auto add = [&](const Expression& expression) {
    names.merge(model.scope.axes_of(expression));
  };
  for (const Expression& extent : row.shape) add(extent);
  if (row.fill.element) add(*row.fill.element);
  if (row.applies) add(*row.applies);
  if (model.has_seed) names.insert(kSeedAxis);
  return {names.begin(), names.end()};
}

}  // namespace

const BufferRow* FolderModel::find_buffer(std::string_view buffer) const {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [buffer](const BufferRow& row) { return row.name == buffer; });
  return found == buffers.end() ? nullptr : &*found;
}

bool FolderModel::applies(const BufferRow& row, const Configuration& axes) const {
  return !row.applies || row.applies->value(scope.at(axes)) != 0;
}

Result<BufferSpec> FolderModel::spec_of(const BufferRow& row, const Configuration& axes) const {
  BufferSpec spec{row.name, row.type, 1, row.role, {}, row.symbol};
  const Expression::Lookup lookup = scope.at(axes);
  for (const Expression& extent : row.shape) {
    Result<std::int64_t> size = extent.whole(lookup);
    const bool large = size && *size > 0 && spec.count > kMostElements / *size;
    if (size && (*size < 0 || large)) {
      size = failure(ErrorKind::usage,
                     "“" + extent.text() + "” is " + std::to_string(*size) +
                         (large ? ", which is too large" : ", below 0"),
                     "", "choose other sizes");
    }
    if (!size) {
      Error error = size.error();
      error.where = "buffer " + row.name;
      return tl::unexpected(std::move(error));
    }
    spec.count *= *size;
    spec.shape.push_back(*size);
  }
  if (row.fill.file && row.fill.file->count() != spec.count) {
    return failure(ErrorKind::usage,
                   "its file has " + std::to_string(row.fill.file->count()) + " elements, and " +
                       std::to_string(spec.count) + " are needed",
                   "buffer " + row.name, "choose the sizes for which the file was made");
  }
  return spec;
}

void read_buffers(const Fields& root, FolderModel& model) {
  const Axis* seed = find_axis(model.scope.axes(), kSeedAxis);
  model.has_seed = seed != nullptr && seed->kind == AxisKind::integer && of_problem(*seed);
  for (const Node* node : root.tables("buffers")) {
    BufferRow row = read_buffer(*node, model, root.errors());
    row.stream = static_cast<std::uint32_t>(model.buffers.size());
    model.buffers.push_back(std::move(row));
  }
  const bool any =
      std::any_of(model.buffers.begin(), model.buffers.end(), [](const BufferRow& row) {
        return row.role == BufferRole::output || row.role == BufferRole::state;
      });
  if (!any) {
    root.refuse("buffers", "there is no buffer of role output or state, so a run has no result",
                "write [buffers.y] with role = \"output\"");
  }
}

namespace {

std::function<void(const Workload&, Inputs&)> freshly(
    const std::shared_ptr<const FolderModel>& model, std::uint64_t fresh) {
  return [model, fresh](const Workload& w, Inputs& inputs) {
    for (const BufferRow& row : model->buffers) {
      const auto array = inputs.find(row.name);
      if (array == inputs.end() || row.fill.file) continue;
      const std::span<std::byte> bytes = array->second.bytes();
      make_elements(*model, row, w.axes, 0, bytes, fresh);
    }
  };
}

// Sizes of the problem, each its least and so much more; empty: it has none, or a file decides
// them.
std::map<std::string, std::string> small_sizes(const FolderModel& model, double more) {
  std::map<std::string, std::string> sizes;
  for (const BufferRow& row : model.buffers) {
    if (row.fill.file) return {};
  }
  for (const Axis& axis : model.scope.axes()) {
    if (axis.kind != AxisKind::integer || !of_problem(axis) || axis.name == kSeedAxis ||
        axis.binds != Binding::argument)
      continue;
    const double size = std::min(axis.typed_maximum, axis.typed_minimum + more);
    sizes[axis.name] = std::to_string(static_cast<std::int64_t>(size));
  }
  return sizes;
}

}  // namespace

std::vector<HardCase> fresh_cases_of(const std::shared_ptr<const FolderModel>& model) {
  std::vector<HardCase> cases;
  const bool of_files =
      std::any_of(model->buffers.begin(), model->buffers.end(),
                  [](const BufferRow& row) { return row.name.ends_with(".expected"); });
  if (!of_files) {  // what files hold is right for their inputs alone
    cases.push_back({"other_inputs", "Other random numbers in the inputs.", {}, freshly(model, 1)});
    HardCase second{"second_run",
                    "Other random numbers, after a run that leaves its __device__ variables.",
                    {},
                    freshly(model, 2)};
    second.behind.emplace();
    cases.push_back(std::move(second));
  }
  constexpr double kOdd = 34;  // more than a warp, and no power of two
  for (const bool least : {true, false}) {
    std::map<std::string, std::string> sizes = small_sizes(*model, least ? 0 : kOdd);
    if (sizes.empty()) continue;
    cases.push_back(
        {least ? "least_sizes" : "odd_sizes",
         least ? "Every size at its minimum." : "Sizes that are not multiples of a block.",
         std::move(sizes)});
  }
  return cases;
}

std::vector<InputGroup> input_groups_of(const std::shared_ptr<const FolderModel>& model) {
  std::vector<InputGroup> groups;
  for (const BufferRow& row : model->buffers) {
    const bool zeros = row.role == BufferRole::state && !row.fill.element && !row.fill.file &&
                       row.fill.word == "zero";
    if (row.role == BufferRole::output || row.role == BufferRole::scratch || zeros) continue;
    InputGroup group;
    group.name = row.name;
    group.axes = deciding_axes(*model, row);
    group.arrays = {row.name};
    group.elements = [model, &row](const Workload& w, const std::string&, std::int64_t first,
                                   std::span<std::byte> bytes) {
      make_elements(*model, row, w.axes, first, bytes);
    };
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace warpscope::folder
