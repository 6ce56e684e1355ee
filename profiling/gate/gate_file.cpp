// profiling/gate/gate_file.cpp: the person's part of a gate's file.
#include "profiling/gate/gate_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "profiling/figures/multiprocessor.h"
#include "profiling/gate/gate_record.h"
#include "scenes/folder/description_fields.h"

namespace warpscope {
namespace {

const std::vector<const char*> kKeys = {"architectures", "code", "allow", "kernel"};
const std::vector<const char*> kKernelKeys = {"name",   "scene", "launch", "axes",
                                              "values", "allow", "outputs"};

// "1%", or a count.
std::optional<GateAllowance> allowance(const Node& node) {
  if (node.kind == Node::Kind::whole && node.whole >= 0) return GateAllowance{node.whole, 0};
  if (node.kind != Node::Kind::text || !node.text.ends_with('%')) return std::nullopt;
  const char* const end = node.text.data() + node.text.size() - 1;
  double percent = 0;
  const auto read = std::from_chars(node.text.data(), end, percent);
  if (read.ec != std::errc() || read.ptr != end || !(percent >= 0) || !std::isfinite(percent))
    return std::nullopt;
  constexpr double kWhole = 100;
  return GateAllowance{0, percent / kWhole};
}

class Reader {
 public:
  Reader(const Node& node, const std::string& file)
      : errors_(file), root_(errors_, node, "", kKeys) {}

  Result<GateFile> all() {
    read_architectures();
    out_.code =
        root_.word("code", 0, {"ptx", "sass"}) == 0 ? TracedCode::ptx : TracedCode::machine_code;
    out_.allow = allowances(root_);
    for (const Node* node : root_.list("kernel")) read_kernel(*node);
    if (out_.kernels.empty())
      root_.refuse("kernel", "no kernel is named",
                   "add [[kernel]] with scene = \"NAME/VARIANT\" or launch = \"FILE.toml\"");
    if (errors_.first()) return tl::unexpected(*errors_.first());
    return std::move(out_);
  }

 private:
  void read_architectures() {
    if (root_.has("architectures")) {
      for (const double number : root_.numbers("architectures"))
        out_.architectures.push_back(static_cast<int>(number));
    } else {
      out_.architectures = {90};
    }
    std::string known;
    const auto rows = all_architecture_limits();
    for (const ArchitectureLimits& row : rows)
      known += (known.empty() ? "" : ", ") + std::to_string(row.compute_capability);
    for (const int wanted : out_.architectures) {
      if (std::any_of(rows.begin(), rows.end(),
                      [&](const auto& row) { return row.compute_capability == wanted; }))
        continue;
      root_.refuse("architectures",
                   "there is no architecture sm_" + std::to_string(wanted) + " here",
                   "choose from " + known);
    }
  }

  GateAllowances allowances(const Fields& fields) {
    GateAllowances made;
    if (!fields.has("allow")) return made;
    for (const Node* node : fields.tables("allow")) {
      const auto allowed = allowance(*node);
      const std::string at = fields.at("allow") + "." + node->key;
      if (find_gate_count(node->key) == nullptr) {
        errors_.add(node->line, at, "there is no count “" + node->key + "”",
                    "choose from " + gate_count_names());
      } else if (!allowed) {
        errors_.add(node->line, at, "this is not an allowance",
                    "write a percentage in quotes, \"1%\", or a whole number");
      } else {
        made[node->key] = *allowed;
      }
    }
    return made;
  }

  void read_kernel(const Node& node) {
    const Fields fields(errors_, node, "kernel", kKernelKeys);
    GateKernel kernel;
    kernel.line = node.line;
    kernel.scene = fields.text("scene");
    kernel.launch = fields.text("launch");
    if (kernel.scene.empty() == kernel.launch.empty())
      errors_.add(node.line, "kernel", "a kernel has either a scene or a launch",
                  "write scene = \"NAME/VARIANT\", or launch = \"FILE.toml\"");
    const bool of_scene = kernel.launch.empty();
    fields.refuse_unused({of_scene ? "values" : "axes"}, of_scene ? "a scene" : "a launch file",
                         of_scene ? "write axes = { … }" : "write values = { … }");
    std::string words;
    for (const Node* value : fields.tables(of_scene ? "axes" : "values")) {
      const std::optional<std::string> text = typed_text(*value);
      if (!text) {
        errors_.add(value->line, value->key, "this is not a value of an axis",
                    "write a number, or a text in quotes");
        continue;
      }
      kernel.axes[value->key] = *text;
      words += " " + value->key + "=" + *text;
    }
    kernel.name = fields.text("name", (of_scene ? kernel.scene : kernel.launch) + words);
    kernel.allow = allowances(fields);
    kernel.outputs = fields.word("outputs", 0, {"bits", "none"}) == 0;
    for (const GateKernel& other : out_.kernels) {
      if (other.name == kernel.name)
        errors_.add(node.line, "kernel", "two kernels are called “" + kernel.name + "”",
                    "give one of them another name = \"…\"");
    }
    out_.kernels.push_back(std::move(kernel));
  }

  DescriptionErrors errors_;
  Fields root_;
  GateFile out_;
};

}  // namespace

Result<GateFile> parse_gate_file(std::string_view text, const std::string& file) {
  const Result<Node> root = parse_description(text, file);
  if (!root) return tl::unexpected(root.error());
  return Reader(*root, file).all();
}

GateAllowance allowance_of(const GateFile& file, const GateKernel* kernel, std::string_view count) {
  if (kernel != nullptr) {
    if (const auto own = kernel->allow.find(count); own != kernel->allow.end()) return own->second;
  }
  const auto found = file.allow.find(count);
  return found == file.allow.end() ? GateAllowance{} : found->second;
}

}  // namespace warpscope
