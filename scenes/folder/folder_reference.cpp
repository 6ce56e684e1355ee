// scenes/folder/folder_reference.cpp: the reference of a description, and by how much outputs may
// differ from it.
#include <algorithm>
#include <array>
#include <iterator>

#include "scenes/folder/folder_model.h"
#include "scenes/host/nearest.h"

namespace warpscope::folder {
namespace {

constexpr const char* kReference = ".reference";
constexpr std::array kScales = {".accumulation", ".magnitude"};
constexpr const char* kExpected = ".expected";
constexpr const char* kName = "reference";
constexpr std::int64_t kThreads = 256;

bool is_result(const BufferRow& row) {
  return row.role == BufferRole::output || row.role == BufferRole::state;
}

// How the steps of a reference come about at a configuration.
using MakeReference = std::function<Result<std::vector<Step>>(const Configuration&)>;

// From elements of a type to doubles, by a kernel of the engine's.
Step widen(const std::string& from, ElementType type, const std::string& to, std::int64_t count) {
  KernelLaunch kernel;
  kernel.source = "engine/widen.cu";
  kernel.entry = "widen";
  kernel.defines = {{"TYPE", std::to_string(static_cast<int>(type))}};
  kernel.launch.grid = {std::max<std::int64_t>(1, (count + kThreads - 1) / kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  kernel.arguments = {BufferArgument{from}, BufferArgument{to}, count};
  return {"widen " + from, Phase::run, std::move(kernel)};
}

// Scales that no step writes are zero, so that old contents of a buffer cannot widen the tolerance.
std::vector<Step> with_scales(std::vector<Step> steps, const FolderModel& model,
                              const Configuration& axes) {
  std::set<std::string> named;
  for (const Step& step : steps) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
      for (const Argument& argument : kernel->arguments) {
        if (const auto* buffer = std::get_if<BufferArgument>(&argument))
          named.insert(buffer->buffer);
        if (const auto* map = std::get_if<TensorMapArgument>(&argument)) named.insert(map->buffer);
        if (const auto* record = std::get_if<RecordArgument>(&argument)) {
          for (const auto& [at, address] : record->addresses) named.insert(address.buffer);
          for (const auto& [at, map] : record->maps) named.insert(map.buffer);
        }
      }
    }
  }
  for (const BufferRow& row : model.buffers) {
    const bool covered = row.role == BufferRole::output || named.count(row.name + kReference) != 0;
    if (!is_result(row) || !covered || !model.applies(row, axes)) continue;
    for (const char* scale : kScales) {
      if (named.count(row.name + scale) == 0)
        steps.push_back({"clear " + row.name + scale, Phase::run, Memset{row.name + scale, 0}});
    }
  }
  return steps;
}

MakeReference of_kernels(const Fields& fields, const std::shared_ptr<const FolderModel>& model,
                         std::set<std::string>& used) {
  std::set<std::string> buffers;
  for (const BufferRow& row : model->buffers) {
    if (row.role == BufferRole::input || row.role == BufferRole::state) buffers.insert(row.name);
    if (!is_result(row)) continue;
    buffers.insert(row.name + kReference);
    for (const char* scale : kScales) buffers.insert(row.name + scale);
  }
  const auto rows =
      std::make_shared<const std::vector<StepRow>>(read_steps(fields, kName, *model, buffers));
  used = buffers_of(*rows);
  for (const BufferRow& row : model->buffers) {
    if (row.role == BufferRole::output && used.count(row.name + kReference) == 0) {
      fields.refuse("arguments", "no argument writes " + row.name + kReference,
                    "pass \"" + row.name + ".reference\", doubles that the kernel writes");
    }
  }
  return [model, rows](const Configuration& axes) {
    return make_steps(*rows, *model, axes, "").map([&](std::vector<Step> steps) {
      return with_scales(std::move(steps), *model, axes);
    });
  };
}

// A variant's own steps, whose outputs are then widened: they lie for a while where the scales
// will.
MakeReference of_variant(const Fields& root, const Fields& fields,
                         const std::shared_ptr<const FolderModel>& model, const Scene& scene) {
  const std::string name = fields.text("variant");
  const Variant* variant = find_variant(scene, name);
  if (variant == nullptr) {
    std::vector<std::string> all;
    for (const Variant& v : scene.variants) all.push_back(v.name);
    fields.refuse("variant", "there is no variant “" + name + "”", suggest(name, all));
    return nullptr;
  }
  std::set<std::string> buffers;
  for (const BufferRow& row : model->buffers) buffers.insert(row.name);
  const Fields table(root.errors(), *root.find("variants")->find(name), "variants." + name, {});
  const auto rows =
      std::make_shared<const std::vector<StepRow>>(read_steps(table, name, *model, buffers));
  for (const std::string& used : buffers_of(*rows)) {
    const BufferRow* row = model->find_buffer(used);
    if (row == nullptr || row->role == BufferRole::input || row->role == BufferRole::output)
      continue;
    fields.refuse("variant", name + " uses " + used + ", which is neither an input nor an output",
                  "use a variant without scratch and states, or write a reference kernel");
  }
  return [model, rows, name](const Configuration& axes) -> Result<std::vector<Step>> {
    Result<std::vector<Step>> steps = make_steps(*rows, *model, axes, name);
    if (!steps) return steps;
    const auto moved = [&](std::string& buffer) {
      const BufferRow* row = model->find_buffer(buffer);
      if (row != nullptr && row->role == BufferRole::output) buffer += kScales[0];
    };
    for (Step& step : *steps) {
      step.phase = Phase::run;
      if (auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
        for (Argument& argument : kernel->arguments) {
          if (auto* buffer = std::get_if<BufferArgument>(&argument)) moved(buffer->buffer);
          if (auto* map = std::get_if<TensorMapArgument>(&argument)) moved(map->buffer);
          if (auto* record = std::get_if<RecordArgument>(&argument)) {
            for (auto& [at, address] : record->addresses) moved(address.buffer);
            for (auto& [at, map] : record->maps) moved(map.buffer);
          }
        }
      } else if (auto* memset = std::get_if<Memset>(&step.action)) {
        moved(memset->buffer);
      } else if (auto* copy = std::get_if<DeviceCopy>(&step.action)) {
        moved(copy->to);
        const Result<BufferSpec> from = model->spec_of(*model->find_buffer(copy->from), axes);
        copy->to_part.bytes = from ? from->count * element_bytes(from->type) : -1;
      }
    }
    for (const BufferRow& row : model->buffers) {
      if (row.role != BufferRole::output || !model->applies(row, axes)) continue;
      const Result<BufferSpec> spec = model->spec_of(row, axes);
      if (!spec) return tl::unexpected(spec.error());
      steps->push_back(widen(row.name + kScales[0], row.type, row.name + kReference, spec->count));
      for (const char* scale : kScales)
        steps->push_back({"clear " + row.name + scale, Phase::run, Memset{row.name + scale, 0}});
    }
    return steps;
  };
}

MakeReference of_files(const std::shared_ptr<const FolderModel>& model) {
  return [model](const Configuration& axes) -> Result<std::vector<Step>> {
    std::vector<Step> steps;
    for (const BufferRow& row : model->buffers) {
      const BufferRow* expected = model->find_buffer(row.name + kExpected);
      if (expected == nullptr || !model->applies(row, axes)) continue;
      const Result<BufferSpec> spec = model->spec_of(*expected, axes);
      if (!spec) return tl::unexpected(spec.error());
      steps.push_back(widen(expected->name, expected->type, row.name + kReference, spec->count));
    }
    return with_scales(std::move(steps), *model, axes);
  };
}

// The factors of a bound; `written`: the buffers that the reference's kernels name.
std::function<Tolerance(const Configuration&)> read_tolerance(
    const Fields& fields, const std::shared_ptr<const FolderModel>& model,
    const std::set<std::string>& written) {
  struct Factors {
    std::optional<Expression> accumulation, magnitude, reference, absolute;
    bool bit_exact = false;
  };
  Factors factors;
  const auto read = [&](const char* key) { return fields.expression(key, model->scope.names()); };
  factors.accumulation = read("accumulation");
  factors.magnitude = read("magnitude");
  factors.reference = read("reference");
  factors.absolute = read("absolute");
  factors.bit_exact = fields.truth("bit_exact", false);
  if (factors.bit_exact) {
    fields.refuse_unused({"accumulation", "magnitude", "reference", "absolute"}, "bit_exact = true",
                         "keep one of the two");
  }
  for (const char* key : {"accumulation", "magnitude"}) {
    const std::string part = std::string(".") + key;
    const bool scaled = std::any_of(written.begin(), written.end(),
                                    [&](const std::string& name) { return name.ends_with(part); });
    if (!fields.has(key) || scaled) continue;
    fields.refuse(
        key,
        std::string("the reference does not write .") + key + ", which this tolerance multiplies",
        "let the reference kernel write it, or use reference and absolute");
  }
  if (!factors.bit_exact && !factors.accumulation && !factors.magnitude && !factors.reference &&
      !factors.absolute) {
    fields.refuse("", "it is empty",
                  "write reference = \"2^-23\", absolute = 1e-6 or bit_exact = true");
  }
  return [model, factors](const Configuration& axes) {
    const Expression::Lookup lookup = model->scope.at(axes);
    const auto value = [&](const std::optional<Expression>& factor) {
      return factor ? factor->value(lookup) : 0.0;
    };
    return Tolerance{value(factors.accumulation), value(factors.magnitude),
                     value(factors.reference), value(factors.absolute), factors.bit_exact};
  };
}

// Checks, for every variant that is compared with the reference, that the reference has steps.
Constraint reference_has_sizes(const MakeReference& make) {
  return {"",  // it goes without saying
          [make](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const auto steps = make(w.axes);
            if (steps) return std::nullopt;
            return "reference: " + sentence(steps.error());
          }};
}

// Without a reference no tolerance is read.
void refuse_tolerances(const Fields& root) {
  const char* const remedy = "write [reference], or remove the tolerance";
  root.refuse_unused({"tolerance"}, "a missing [reference]", remedy);
  for (const Node* node : root.tables("variants")) {
    if (node->kind != Node::Kind::table) continue;
    Fields(root.errors(), *node, "variants." + node->key, {})
        .refuse_unused({"tolerance"}, "a missing [reference]", remedy);
  }
}

void hold_variants(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                   const Constraint& constraint, const std::set<std::string>& written,
                   Scene& scene) {
  const std::vector<const char*> keys = {"accumulation", "magnitude", "reference", "absolute",
                                         "bit_exact"};
  const Node* shared = root.find("tolerance");
  for (Variant& v : scene.variants) {
    const Node* own = root.find("variants")->find(v.name)->find("tolerance");
    if (own == nullptr && shared == nullptr) {
      root.refuse("tolerance", "it is missing: how far may an output be from the reference?",
                  "write [tolerance] with reference = \"2^-23\", absolute = 1e-6 or bit_exact = "
                  "true");
      return;
    }
    const Fields fields(root.errors(), own != nullptr ? *own : *shared,
                        own != nullptr ? "variants." + v.name + ".tolerance" : "tolerance", keys);
    v.reference = kName;
    v.tolerance_at = read_tolerance(fields, model, written);
    v.tolerance = v.tolerance_at(default_configuration(scene.axes));
    v.constraints.push_back(constraint);
  }
}

}  // namespace

void read_expected(const Fields& root, FolderModel& model) {
  const Node* reference = root.find("reference");
  const Node* files = reference == nullptr ? nullptr : reference->find("files");
  if (files == nullptr) return;
  for (const Node& node : files->items) {
    const BufferRow* output = model.find_buffer(node.key);
    const auto data = model.data.find(node.text);
    const std::string key = "reference.files." + node.key;
    if (output == nullptr || !is_result(*output)) {
      root.errors().add(node.line, key, "there is no output of this name", "name a buffer");
    } else if (data == model.data.end()) {
      root.errors().add(node.line, key,
                        "there is no file “" + node.text + "” beside the description",
                        "save it there with numpy.save, or correct its name");
    } else {
      BufferRow row = *output;
      row.name += kExpected;
      row.symbol = "expected " + row.symbol;
      row.role = BufferRole::input;
      row.fill = {"zero", std::nullopt, data->second};
      const bool bits = output->type == ElementType::bf16 && data->second->type == ElementType::u16;
      row.type = bits ? output->type : data->second->type;
      model.buffers.push_back(std::move(row));
    }
  }
}

void read_reference(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                    Scene& scene) {
  const Node* node = root.find("reference");
  if (node == nullptr) return refuse_tolerances(root);
  const Fields fields(root.errors(), *node, kName, step_keys({"sentence", "variant", "files"}));
  MakeReference make;
  std::set<std::string> written;
  std::string words = "The double-precision result of this folder's reference kernel.";
  const char* const remedy = "remove it: outputs are compared with one reference";
  if (fields.has("variant")) {
    make = of_variant(root, fields, model, scene);
    fields.refuse_unused(step_keys({"files"}), "variant", remedy);
    if (root.tables("variants").size() == 1)
      fields.refuse("variant", "the only variant would be compared with itself",
                    "write a reference kernel, or files with the expected outputs");
    words = "What the variant " + fields.text("variant") + " computes.";
  } else if (fields.has("files")) {
    make = of_files(model);
    fields.refuse_unused(step_keys({}), "files", remedy);
    words = "The files beside the description.";
  } else {
    make = of_kernels(fields, model, written);
  }
  if (!make || root.errors().first()) return;
  Reference reference;
  reference.name = kName;
  reference.sentence = fields.text("sentence", words);
  reference.steps = [make](const Workload& w) {
    return make(w.axes).value_or(std::vector<Step>{});
  };
  scene.references = {std::move(reference)};
  hold_variants(root, model, reference_has_sizes(make), written, scene);
}

}  // namespace warpscope::folder
