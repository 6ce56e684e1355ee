// workbench/panels/launch/launch_text.cpp: a form as the text of a launch file.
#include "workbench/panels/launch/launch_text.h"

#include <system_error>
#include <vector>

namespace warpscope {
namespace {

std::string shape_text(const std::array<FormValue, 3>& extents) {
  std::size_t used = 3;
  while (used > 1 && extents[used - 1].text == "1") --used;
  std::string list;
  for (std::size_t i = 0; i < used; ++i) list += (i == 0 ? "" : ", ") + toml_value(extents[i].text);
  return "[" + list + "]";
}

// The keys of a buffer, which are those of an argument too.
std::string buffer_keys(const FormBuffer& buffer) {
  std::string text = "name = " + toml_value(buffer.name) + "\ntype = " + toml_value(buffer.type);
  const std::string count = buffer.shape_key == "shape" ? buffer.count.text : "";
  text += "\n";
  if (buffer.shape_key == "shape") {
    std::string list;
    for (const std::string& extent : toml_texts("[" + count + "]"))
      list += (list.empty() ? "" : ", ") + toml_value(extent);
    text += "shape = [" + list + "]\n";
  } else {
    text += "count = " + toml_value(buffer.count.text) + "\n";
  }
  return text +
         (buffer.fill.kind == "file" ? "file = " + toml_value(buffer.fill.words)
                                     : "fill = " + toml_value(fill_words(buffer.fill))) +
         "\n";
}

}  // namespace

std::string launch_text(const LaunchForm& form, const std::string& description,
                        const std::string& source, const std::string& entry,
                        const Configuration& axes) {
  const bool ptx = std::filesystem::path(source).extension() == ".ptx";
  std::string text = "# A launch of " + entry + ": warpscope trace --launch FILE\n";
  text += std::string(ptx ? "ptx" : "source") + " = " + toml_value(source) + "\n";
  text += "kernel = " + toml_value(entry) + "\n";
  text += "grid = " + shape_text(form.grid) + "\n";
  text += "block = " + shape_text(form.block) + "\n";
  text += "shared = " + toml_value(form.shared.text) + "\n[let]\n";
  const std::vector<DescribedField> fields = described_fields(description);
  constexpr std::string_view kAxes = "axes.";
  for (const DescribedField& field : fields) {
    if (!field.table.starts_with(kAxes) || field.key != "default") continue;
    const std::string name = field.table.substr(kAxes.size());
    text += name + " = " + (axes.has(name) ? to_text(axes.at(name)) : field.value) + "\n";
  }
  for (const DescribedField& field : fields) {
    if (field.table == "let" && !field.value.empty())
      text += field.key + " = " + field.value + "\n";
  }
  std::vector<std::string> passed;
  for (const FormArgument& argument : form.arguments) {
    const FormBuffer* buffer = form.buffer(argument.words);
    text += "[[argument]]\n";
    if (buffer == nullptr) {
      text += "value = " + toml_value(argument.words) + "\n";
      continue;
    }
    passed.push_back(buffer->name);
    text += buffer_keys(*buffer);
  }
  std::string constants;
  for (const FormBuffer& buffer : form.buffers) {
    const bool known = std::find(passed.begin(), passed.end(), buffer.name) != passed.end();
    if (!buffer.symbol.empty()) {
      constants += buffer.symbol + " = " +
                   toml_value(buffer.fill.kind == "file" ? buffer.fill.words
                                                         : buffer.type + "[" + buffer.count.text +
                                                               "]:" + fill_words(buffer.fill)) +
                   "\n";
    } else if (!known) {
      text += "[[buffer]]\n" + buffer_keys(buffer);
    }
  }
  return text + (constants.empty() ? "" : "[constant]\n" + constants);
}

std::string entry_of(const std::string& description, const std::string& variant) {
  const std::vector<DescribedField> fields = described_fields(description);
  const DescribedField* entry = find_field(fields, "variants." + variant, "entry");
  return entry == nullptr ? variant : toml_texts(entry->value).front();
}

std::filesystem::path free_path(const std::filesystem::path& folder, const std::string& stem,
                                const std::string& ending) {
  std::error_code ignored;
  std::filesystem::path path = folder / (stem + ending);
  for (int number = 2; std::filesystem::exists(path, ignored); ++number)
    path = folder / (stem + "_" + std::to_string(number) + ending);
  return path;
}

}  // namespace warpscope
