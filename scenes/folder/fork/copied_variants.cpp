// scenes/folder/fork/copied_variants.cpp: variants that are edited copies of others, as a
// description has them.
#include "scenes/folder/fork/copied_variants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "scenes/base/hard_case.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/host/nearest.h"

namespace warpscope::folder {
namespace {

// What a copy changes of its parent's steps.
struct Changes {
  std::string own;                             // "csrmm_fork/": before the names of its files
  std::map<std::string, std::string> sources;  // the parent's path → the file's
  std::map<std::string, KernelRow> launches;   // by the name of the step
};

// "csrmm/warp_row.cu" of a built-in scene; of a file of the folder its name.
std::string named_in(const std::string& own, const std::string& path) {
  return path.starts_with(own) ? path.substr(own.size()) : path;
}

// `action`: a launch, or a copy to a constant array.
template <typename Action>
void replace_source(const Changes& changes, Action& action) {
  const auto found = changes.sources.find(named_in(changes.own, action.source));
  if (found == changes.sources.end()) return;
  action.source = changes.own + found->second;
  action.any_text = true;
}

Result<std::vector<Step>> changed(std::vector<Step> steps, const Changes& changes,
                                  const FolderModel& model, const Configuration& axes,
                                  const std::string& variant) {
  for (Step& step : steps) {
    if (auto* constants = std::get_if<ConstantCopy>(&step.action))
      replace_source(changes, *constants);
    auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    replace_source(changes, *kernel);
    const auto launch = changes.launches.find(step.name);
    if (launch == changes.launches.end()) continue;
    if (Result<void> done = relaunch(launch->second, model, axes, variant, *kernel); !done)
      return tl::unexpected(done.error());
  }
  return steps;
}

void read_sources(const Fields& fields, const FolderModel& model, const Scene& scene,
                  Changes& changes) {
  const auto kernels =
      scene.fork_of.empty()
          ? nullptr
          : kept_sources_of_scene(scene.fork_of).value_or(nullptr);  // null: not on this machine
  for (const Node* node : fields.tables("sources")) {
    const std::string at = "sources." + node->key;
    if (node->kind != Node::Kind::text || model.files.count(node->text) == 0) {
      const std::vector<std::string> files(model.files.begin(), model.files.end());
      fields.errors().add(node->line, fields.at(at),
                          "there is no file “" + node->text + "” beside the description",
                          suggest(node->text, files));
    }
    std::vector<std::string> known(model.files.begin(), model.files.end());
    for (const KernelSource& source : kernels != nullptr ? *kernels : std::vector<KernelSource>{})
      known.push_back(source.path);
    const bool unknown = std::find(known.begin(), known.end(), node->key) == known.end();
    if (unknown && (kernels != nullptr || scene.fork_of.empty())) {
      fields.errors().add(node->line, fields.at(at),
                          "the parent launches no kernel of “" + node->key + "”",
                          suggest(node->key, known));
    }
    changes.sources[node->key] = node->text;
  }
}

// The steps of the folder's own variant that launch kernels, at whatever sizes.
std::vector<std::string> own_launches(const Fields& root, const FolderModel& model,
                                      const std::string& variant) {
  std::vector<std::string> names;
  for (const Node* node : root.tables("variants")) {
    if (node->key != variant) continue;
    DescriptionErrors said_before("");
    const Fields fields(said_before, *node, "variants." + variant, {});
    std::set<std::string> buffers;
    for (const BufferRow& row : model.buffers) buffers.insert(row.name);
    for (const StepRow& row : read_steps(fields, variant, model, buffers))
      if (std::holds_alternative<KernelRow>(row.action)) names.push_back(row.name);
  }
  return names;
}

// That the steps are there whose launches the copy changes.
void check_launches(const Fields& root, const Node& copy, const FolderModel& model,
                    const Scene& scene, const Variant& original) {
  const Node* launches = copy.find("launch");
  if (!root.errors().refuses_unused() || launches == nullptr || launches->kind != Node::Kind::table)
    return;
  std::vector<std::string> names;
  if (scene.fork_of.empty()) {
    names = own_launches(root, model, original.name);
  } else {
    const Configuration axes =
        for_variant(scene.axes, default_configuration(scene.axes), original.name);
    for (const auto& [name, launch] : launches_at(original, axes)) names.push_back(name);
  }
  for (const Node& launch : launches->items) {
    if (std::find(names.begin(), names.end(), launch.key) != names.end()) continue;
    if (!scene.fork_of.empty() &&
        is_launch_name(launch.key, launch_names(**built_in_catalogue().find(scene.fork_of))))
      continue;
    if (!scene.fork_of.empty()) {  // they follow from the inputs
      if (const auto launched = launched_kernels(scene, original))
        for (const auto& [name, kernel] : launched->steps) names.push_back(name);
      if (std::find(names.begin(), names.end(), launch.key) != names.end()) continue;
    }
    root.errors().add(launch.line, "variants." + copy.key + ".launch." + launch.key,
                      "“" + original.name + "” has no step of this name that launches a kernel",
                      suggest(launch.key, names));
  }
}

// A launch shape that is none at some sizes, in a sentence; it goes without saying.
Constraint launches_are_sizes(const std::shared_ptr<const FolderModel>& model,
                              const std::shared_ptr<const Changes>& changes,
                              const std::string& variant) {
  return {"", [=](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const Expression::Lookup lookup = model->scope.at(w.axes, variant);
            for (const auto& [step, row] : changes->launches) {
              KernelLaunch any;
              if (Result<void> good = relaunch(row, *model, w.axes, variant, any); !good)
                return sentence(good.error());
            }
            return std::nullopt;
          }};
}

Variant read_copy(const Node& node, const std::shared_ptr<const FolderModel>& model,
                  const Scene& scene, const Variant& parent, DescriptionErrors& errors) {
  const Fields fields(errors, node, "variants." + node.key,
                      {"parent", "sources", "launch", "label", "sentence", "look_at"});
  const auto changes = std::make_shared<Changes>();
  changes->own = model->name + "/";
  read_sources(fields, *model, scene, *changes);
  for (const Node* launch : fields.tables("launch")) {
    const Fields of_step(errors, *launch, fields.at("launch." + launch->key),
                         {"grid", "block", "shared", "define"});
    changes->launches[launch->key] = read_relaunch(of_step, *model);
  }
  Variant v = parent;
  v.name = node.key;
  if (!is_name(node.key))
    fields.refuse("", "“" + node.key + "” is not a valid name for a variant",
                  "use letters, digits and _");
  v.parent = parent.name;
  v.label = fields.text("label", "fork of " + parent.label);
  v.sentence = fields.text("sentence", "A copy of " + parent.label + ", to be changed.");
  v.look_at = fields.text("look_at", "How the change affects the most expensive source lines.");
  v.family = "forks";  // what is claimed of the parent's family is not claimed of a copy
  // It is to be right and to start, whatever its parent is a lesson of.
  v.expected_fault = nullptr;
  v.expected_launch_failure = nullptr;
  v.steps = [base = parent.steps, changes, model, name = v.name](const Workload& w) {
    // Where there are none the constraint says why.
    return changed(base(w), *changes, *model, w.axes, name).value_or(std::vector<Step>{});
  };
  if (!changes->launches.empty())
    v.constraints.push_back(launches_are_sizes(model, changes, v.name));
  return v;
}

// The place after its parent and the parent's other copies.
std::size_t place_below(const Scene& scene, const std::string& parent) {
  std::set<std::string> above = {parent};
  std::size_t place = scene.variants.size();
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    const Variant& v = scene.variants[i];
    if (v.name == parent || above.count(v.parent) != 0) {
      above.insert(v.name);
      place = i + 1;
    }
  }
  return place;
}

void share_axes(const std::string& parent, const std::string& copy, std::vector<Axis>& axes) {
  for (Axis& axis : axes) {
    const auto own = std::find(axis.of_variants.begin(), axis.of_variants.end(), parent);
    if (own == axis.of_variants.end()) continue;
    if (std::find(axis.of_variants.begin(), axis.of_variants.end(), copy) == axis.of_variants.end())
      axis.of_variants.push_back(copy);
    if (axis.defaults_of.count(copy) == 0 && axis.defaults_of.count(parent) != 0)
      axis.defaults_of[copy] = axis.defaults_of.at(parent);
  }
}

using Originals = std::map<std::string, std::shared_ptr<const Variant>>;  // by the copy's name

// What the scene counts of a variant by its name, it counts of the copy.
void share_work(const std::shared_ptr<const Originals>& originals, Scene& scene) {
  for (WorkTerm& term : scene.work_terms) {
    if (!term.formula) continue;
    term.formula = [originals, base = term.formula](const Workload& w, const Variant& v) {
      const auto copy = originals->find(v.name);
      return base(w, copy == originals->end() ? v : *copy->second);
    };
  }
}

// Fresh inputs after a run with others, at the sizes of the scene's own first case.
std::optional<HardCase> second_run_of(const Scene& scene, const std::vector<HardCase>& cases) {
  const Axis* seed = find_axis(scene.axes, "seed");
  if (cases.empty() || seed == nullptr || seed->kind != AxisKind::integer || cases[0].elements)
    return std::nullopt;
  HardCase second{"second_run",
                  "New inputs, after a run with others that leaves its __device__ variables.",
                  cases[0].values};
  const std::int64_t usual = std::get<std::int64_t>(seed->default_value);
  second.values["seed"] = std::to_string(usual + 1);
  second.behind = {{"seed", std::to_string(usual)}};
  return second;
}

void share_hard_cases(const std::shared_ptr<const Originals>& originals, Scene& scene) {
  if (!scene.hard_cases) return;
  const std::optional<HardCase> second =
      scene.fork_of.empty() ? std::nullopt : second_run_of(scene, scene.hard_cases());
  scene.hard_cases = [originals, second, base = scene.hard_cases] {
    std::vector<HardCase> cases = base();
    if (second) cases.push_back(*second);
    for (HardCase& hard : cases) {
      for (const auto& [copy, original] : *originals) {
        const auto& only = hard.variants;
        if (std::find(only.begin(), only.end(), original->name) != only.end())
          hard.variants.push_back(copy);
        if (const auto out = hard.left_out.find(original->name); out != hard.left_out.end())
          hard.left_out.emplace(copy, out->second);
      }
    }
    return cases;
  };
}

}  // namespace

bool is_copy(const Node& variant) {
  return variant.kind == Node::Kind::table && variant.find("parent") != nullptr;
}

void read_copies(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                 Scene& scene) {
  const auto originals = std::make_shared<Originals>();
  for (const Node* node : root.tables("variants")) {
    if (!is_copy(*node)) {
      if (scene.fork_of.empty()) continue;
      root.errors().add(node->line, "variants." + node->key,
                        "it does not say which variant it copies",
                        "write parent = \"…\": a variant of " + scene.fork_of);
      return;
    }
    const std::string parent = node->find("parent")->text;
    const Variant* found = find_variant(scene, parent);
    if (found == nullptr || find_variant(scene, node->key) != nullptr) {
      std::vector<std::string> names;
      for (const Variant& v : scene.variants) names.push_back(v.name);
      root.errors().add(node->line, "variants." + node->key + (found ? "" : ".parent"),
                        found == nullptr ? "there is no variant “" + parent + "” before it"
                                         : "the scene already has a variant of this name",
                        found == nullptr ? suggest(parent, names) : "give the copy another name");
      return;
    }
    const auto original = originals->find(parent);
    (*originals)[node->key] =
        original != originals->end() ? original->second : std::make_shared<const Variant>(*found);
    check_launches(root, *node, *model, scene, *originals->at(node->key));
    Variant copy = read_copy(*node, model, scene, *found, root.errors());
    share_axes(parent, copy.name, scene.axes);
    const auto place = static_cast<std::ptrdiff_t>(place_below(scene, parent));
    scene.variants.insert(scene.variants.begin() + place, std::move(copy));
  }
  if (originals->empty()) return;
  share_work(originals, scene);
  share_hard_cases(originals, scene);
}

void read_defaults(const Fields& root, std::vector<Axis>& axes) {
  const Configuration base = default_configuration(axes);
  std::map<std::string, std::string> typed;
  for (const Node* node : root.tables("defaults")) {
    typed[node->key] = typed_text(*node).value_or("");
    const Result<Configuration> good = with_values(axes, base, {{node->key, typed[node->key]}});
    if (good) continue;
    root.errors().add(node->line, "defaults." + node->key, good.error());
    return;
  }
  // As when a person types them: linked axes follow.
  const Result<Configuration> chosen = with_values(axes, base, typed);
  for (Axis& axis : axes) {
    if (!chosen || !chosen->has(axis.name)) continue;
    axis.default_value = chosen->at(axis.name);
    if (typed.count(axis.name) != 0) axis.defaults_of.clear();
  }
}

void read_forked_scene(const Fields& root, const std::string& name, FolderModel& model,
                       Scene& scene) {
  const std::string of = root.text("fork");
  std::vector<std::string> names;
  for (const Scene& built_in : built_in_catalogue().scenes()) {
    names.push_back(built_in.name);
    if (built_in.name == of) scene = built_in;
  }
  if (scene.name.empty())
    return root.refuse("fork", "there is no built-in scene “" + of + "”", suggest(of, names));
  scene.name = name;
  scene.fork_of = of;
  scene.title = root.text("title", scene.title + ", forked");
  scene.story =
      root.text("story", "The scene " + of + ", with this folder's kernels below their originals.");
  scene.article.clear();
  scene.tables = nullptr;
  for (const Axis& axis : scene.axes) model.scope.add(axis);
  const std::size_t before = scene.axes.size();
  for (const Node* node : root.tables("axes")) {
    if (find_axis(scene.axes, node->key) == nullptr) continue;
    root.errors().add(node->line, "axes." + node->key, of + " has an axis of this name",
                      "give the new one another name, or write [defaults] to change that axis");
  }
  if (root.has("axes") && !root.errors().first()) read_axes(root, model.scope);
  read_values(root, model.scope);
  scene.axes = model.scope.axes();
  for (std::size_t i = before; i < scene.axes.size(); ++i) {
    if (!scene.axes[i].of_variants.empty()) continue;
    for (const Node* node : root.tables("variants")) scene.axes[i].of_variants.push_back(node->key);
  }
  read_defaults(root, scene.axes);
}

}  // namespace warpscope::folder
