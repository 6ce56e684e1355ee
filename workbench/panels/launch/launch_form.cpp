// workbench/panels/launch/launch_form.cpp: the launch of one kernel as a form shows it.
#include "workbench/panels/launch/launch_form.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "scenes/base/user_argument.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

using Described = std::vector<DescribedField>;

FormValue value_of(const DescribedField* field, std::string text) {
  FormValue value;
  value.text = std::move(text);
  if (field == nullptr) return value;
  value.why = field->comment;
  value.line = field->line();
  value.guessed = field->guessed();
  return value;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

// At the commas outside of parentheses.
std::vector<std::string> divided(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

std::array<FormValue, 3> extents_of(const Described& fields, const std::string& table,
                                    const char* key) {
  const DescribedField* field = find_field(fields, table, key);
  const std::vector<std::string> texts =
      field == nullptr ? std::vector<std::string>() : toml_texts(field->value);
  std::array<FormValue, 3> extents;
  for (std::size_t i = 0; i < extents.size(); ++i)
    extents[i] = value_of(field, i < texts.size() ? texts[i] : "1");
  return extents;
}

// "in (const float*); n (int)" after the words before it.
std::vector<std::pair<std::string, std::string>> declared_in(const std::string& comment) {
  constexpr std::string_view kOrder = "order: ";
  std::vector<std::pair<std::string, std::string>> all;
  const std::size_t begin = comment.find(kOrder);
  for (std::size_t at = begin == std::string::npos ? comment.size() : begin + kOrder.size();
       at < comment.size();) {
    const std::size_t end = std::min(comment.find("; ", at), comment.size());
    const std::string one = comment.substr(at, end - at);
    at = end + 2;
    const std::size_t open = one.find(" (");
    if (open == std::string::npos || one.back() != ')') continue;
    all.emplace_back(one.substr(0, open), one.substr(open + 2, one.size() - open - 3));
  }
  return all;
}

// The buffers that an argument's words name.
std::vector<std::string> buffers_in(const std::string& words) {
  constexpr std::string_view kStruct = "struct:{";
  if (words.starts_with(kStruct) && words.ends_with('}')) {
    std::vector<std::string> all;
    for (const std::string_view member : members_in(
             std::string_view(words).substr(kStruct.size(), words.size() - kStruct.size() - 1))) {
      for (std::string& name : buffers_in(std::string(member))) all.push_back(std::move(name));
    }
    return all;
  }
  if (words.find(':') != std::string::npos) return {};
  return {words.substr(0, words.find('+'))};
}

FormArgument argument_of(const std::string& words) {
  FormArgument argument;
  argument.words = words;
  argument.buffers = buffers_in(words);
  const std::size_t colon = words.find(':');
  if (colon != std::string::npos && !words.starts_with("struct:") && !words.starts_with("bytes:")) {
    argument.type = words.substr(0, colon);
    argument.value = words.substr(colon + 1);
  }
  return argument;
}

FormBuffer buffer_of(const Described& fields, const std::string& name) {
  const std::string table = "buffers." + name;
  FormBuffer buffer;
  buffer.name = name;
  const DescribedField* type = find_field(fields, table, "type");
  buffer.type = type == nullptr ? "f32" : joined(toml_texts(type->value));
  const DescribedField* count = find_field(fields, table, "count");
  buffer.shape_key = count == nullptr ? "shape" : "count";
  if (count == nullptr) count = find_field(fields, table, "shape");
  buffer.count = value_of(count, count == nullptr ? "" : joined(toml_texts(count->value)));
  buffer.fill = fill_of(fields, name);
  for (const char* key : {"fill", "element", "file", "role"}) {
    if (const DescribedField* field = find_field(fields, table, key)) {
      buffer.filled = value_of(field, "");
      break;
    }
  }
  const DescribedField* role = find_field(fields, table, "role");
  buffer.written = role != nullptr && role->value != "\"input\"";
  return buffer;
}

// { table = "table", weights = "w" }
std::vector<std::pair<std::string, std::string>> constants_in(const std::string& value) {
  std::vector<std::pair<std::string, std::string>> all;
  if (value.size() < 2) return all;
  for (const std::string& row : toml_texts(value.substr(1, value.size() - 2))) {
    const std::size_t equals = row.find('=');
    if (equals == std::string::npos) continue;
    const std::vector<std::string> buffer = toml_texts(row.substr(equals + 1));
    std::string symbol = row.substr(0, equals);
    symbol.erase(symbol.find_last_not_of(' ') + 1);
    if (!buffer.empty()) all.emplace_back(symbol, buffer.front());
  }
  return all;
}

void set(DescriptionEdits& edits, const std::string& table, const std::string& key,
         std::string value) {
  edits[{table, key}] = {std::move(value), {}};
}

// "variants.x.grid: it is below 1; write 1 or more" of an error of the description.
std::string sentence_of(const Error& error) {
  const std::size_t comma = error.where.find(", ");
  const std::string place = comma == std::string::npos ? "" : error.where.substr(comma + 2) + ": ";
  return place + error.what + (error.remedy.empty() ? "" : "; " + error.remedy);
}

// What no device takes.
// source: CUDA C++ Programming Guide, technical specifications per compute capability.
std::string refusal_of(const Launch& launch) {
  constexpr std::int64_t kThreads = 1024, kDeep = 64, kGrid = 65535, kWide = 2147483647;
  constexpr std::int64_t kShared = 227 << 10;
  const Dim3 &grid = launch.grid, &block = launch.block;
  const std::int64_t threads = block.x * block.y * block.z;
  if (threads > kThreads)
    return "a block has " + std::to_string(threads) + " threads: at most 1024 can be launched";
  if (block.z > kDeep) return "a block is " + std::to_string(block.z) + " deep in z: at most 64";
  if (grid.x > kWide || grid.y > kGrid || grid.z > kGrid)
    return "the grid is too large: at most 2147483647 blocks in x, and 65535 in y and in z";
  if (launch.dynamic_shared_bytes > kShared)
    return std::to_string(launch.dynamic_shared_bytes) +
           " bytes of dynamic shared memory are asked for: at most 232448 can be launched";
  return "";
}

}  // namespace

const FormBuffer* LaunchForm::buffer(const std::string& name) const {
  const auto found = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const FormBuffer& each) { return each.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

LaunchForm launch_form(const std::string& description, const std::string& variant) {
  const Described fields = described_fields(description);
  LaunchForm form;
  form.table = "variants." + variant;
  form.grid = extents_of(fields, form.table, "grid");
  form.block = extents_of(fields, form.table, "block");
  const DescribedField* shared = find_field(fields, form.table, "shared");
  form.shared = value_of(shared, shared == nullptr ? "0" : joined(toml_texts(shared->value)));
  if (const DescribedField* arguments = find_field(fields, form.table, "arguments")) {
    const auto declared = declared_in(arguments->comment);
    for (const std::string& words : toml_texts(arguments->value)) {
      FormArgument argument = argument_of(words);
      if (const std::size_t place = form.arguments.size(); place < declared.size())
        std::tie(argument.name, argument.declared) = declared[place];
      if (argument.name.empty()) argument.name = words;
      form.arguments.push_back(std::move(argument));
    }
  }
  for (const FormArgument& argument : form.arguments) {
    for (const std::string& name : argument.buffers) {
      if (form.buffer(name) == nullptr) form.buffers.push_back(buffer_of(fields, name));
    }
  }
  if (const DescribedField* constants = find_field(fields, form.table, "constants")) {
    for (const auto& [symbol, name] : constants_in(constants->value)) {
      form.buffers.push_back(buffer_of(fields, name));
      form.buffers.back().symbol = symbol;
    }
  }
  for (const DescribedField& field : fields) {
    if (field.table == form.table && field.key == "?")
      form.questions.push_back(value_of(&field, field.comment));
  }
  return form;
}

void set_extent(DescriptionEdits& edits, const LaunchForm& form, const std::string& key, int axis,
                const std::string& text) {
  const std::array<FormValue, 3>& old = key == "grid" ? form.grid : form.block;
  std::vector<std::string> texts = {old[0].text, old[1].text, old[2].text};
  texts[static_cast<std::size_t>(axis)] = text;
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
  set(edits, form.table, key, toml_list(texts));
}

void set_shared(DescriptionEdits& edits, const LaunchForm& form, const std::string& text) {
  set(edits, form.table, "shared", toml_value(text));
}

void set_argument(DescriptionEdits& edits, const LaunchForm& form, std::size_t place,
                  const std::string& words) {
  std::string list, order;
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    const FormArgument& argument = form.arguments[i];
    const std::string quoted = toml_value(i == place ? words : argument.words);
    list += (i == 0 ? "" : ", ") + quoted;
    order += (i == 0 ? "" : "; ") + argument.name + " (" + argument.declared + ")";
  }
  edits[{form.table, "arguments"}] = {"[" + list + "]", "chosen in Launch, in order: " + order};
}

void set_count(DescriptionEdits& edits, const FormBuffer& buffer, const std::string& text) {
  set(edits, "buffers." + buffer.name, buffer.shape_key,
      buffer.shape_key == "shape" ? toml_list(divided(text)) : toml_value(text));
}

void set_type(DescriptionEdits& edits, const FormBuffer& buffer, const std::string& type) {
  set(edits, "buffers." + buffer.name, "type", toml_value(type));
}

std::string refusal_of(const Catalogue& catalogue, const std::string& scene,
                       const DescriptionEdits& edits, const std::string& variant,
                       const Configuration& axes) {
  const auto now = catalogue.text(scene);
  if (now == nullptr) return "";
  SceneText text = *now;
  text.description = edited(text.description, edits);
  // A session carries its arrays, and names no file of this machine.
  if (const auto file = catalogue.file_of(scene); !file.empty()) {
    text.data.clear();
    if (const auto read = read_scene_data(file.parent_path(), text); !read)
      return sentence_of(read.error());
  }
  const Result<Scene> made = scene_of(text);
  if (!made) return sentence_of(made.error());
  const Variant* chosen = find_variant(*made, variant);
  if (chosen == nullptr) return "";
  try {
    const Configuration here = for_variant(made->axes, axes, variant);
    if (const auto admitted = made->admit ? made->admit(here) : Result<void>(); !admitted)
      return sentence_of(admitted.error());
    for (const Step& step : chosen->steps({here, {}})) {
      const auto* kernel = std::get_if<KernelLaunch>(&step.action);
      const std::string why = kernel == nullptr ? "" : refusal_of(kernel->launch);
      if (!why.empty()) return why;
    }
  } catch (const std::out_of_range&) {
    return "";  // an axis is new: it has its default once the scene is
  }
  return "";
}

}  // namespace warpscope
