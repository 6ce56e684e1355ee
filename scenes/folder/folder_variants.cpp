// scenes/folder/folder_variants.cpp: the ladder of a description: variants, their constraints,
// leagues and presets.
#include <algorithm>

#include "scenes/folder/folder_model.h"
#include "scenes/folder/fork/copied_variants.h"
#include "scenes/host/nearest.h"

namespace warpscope::folder {
namespace {

constexpr std::size_t kMostVariants = 200;

// A rule that a person wrote, with the numbers it fails at.
Constraint read_constraint(const Fields& fields, const std::shared_ptr<const FolderModel>& model,
                           const std::string& variant) {
  std::vector<ExpressionName> names = model->scope.names();
  const std::vector<ExpressionName> device = device_names();
  names.insert(names.end(), device.begin(), device.end());
  Constraint constraint;
  fields.requires_key("holds", "write holds = \"n % 4 == 0\": what must be true");
  fields.requires_key("sentence", "write sentence = \"n must be a multiple of 4\"");
  constraint.rule = fields.text("sentence");
  const auto holds = fields.expression("holds", names);
  if (!holds) return constraint;
  constraint.violated = [model, variant, holds = *holds, rule = constraint.rule](
                            const Workload& w,
                            const DeviceLimits& d) -> std::optional<std::string> {
    const Expression::Lookup lookup = with_device(d, model->scope.at(w.axes, variant));
    if (holds.value(lookup) == 1) return std::nullopt;
    std::string numbers;
    for (const std::string& name : holds.uses())
      numbers += (numbers.empty() ? ": " : ", ") + name + " = " + to_text(AxisValue(lookup(name)));
    return rule + numbers;
  };
  return constraint;
}

// What no rule of the person's says: sizes that are none.
Constraint launches_are_sizes(const std::shared_ptr<const FolderModel>& model,
                              const std::shared_ptr<const std::vector<StepRow>>& rows,
                              const std::string& variant) {
  return {"",  // it goes without saying
          [=](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const auto steps = make_steps(*rows, *model, w.axes, variant);
            if (steps) return std::nullopt;
            return sentence(steps.error());
          }};
}

void read_words(const Fields& fields, Variant& v) {
  v.label = fields.text("label", v.name);
  v.sentence = fields.text("sentence", "The kernel " + v.name + " of this folder.");
  v.look_at =
      fields.text("look_at", "Sectors per load request, and the source lines with most of them.");
  v.family = fields.text("family", "ours");
  v.accuracy = fields.text("accuracy", "as its tolerance says");
  v.league = fields.text("league");
  v.repeatable = fields.truth("repeatable", true);
}

void read_scratch(const std::shared_ptr<const FolderModel>& model,
                  const std::set<std::string>& used, Variant& v) {
  std::vector<const BufferRow*> scratch;
  for (const BufferRow& row : model->buffers) {
    if (row.role == BufferRole::scratch && used.count(row.name) != 0) scratch.push_back(&row);
  }
  if (scratch.empty()) return;
  v.scratch = [model, scratch](const Workload& w) {
    std::vector<BufferSpec> specs;
    for (const BufferRow* row : scratch) {
      if (Result<BufferSpec> spec = model->spec_of(*row, w.axes)) specs.push_back(std::move(*spec));
    }
    return specs;
  };
}

Variant read_variant(const Node& node, const std::shared_ptr<const FolderModel>& model,
                     DescriptionErrors& errors) {
  const Fields fields(errors, node, "variants." + node.key,
                      step_keys({"label", "sentence", "look_at", "family", "accuracy", "league",
                                 "repeatable", "applies", "constraints", "tolerance", "work"}));
  Variant v;
  v.name = node.key;
  if (!is_name(node.key))
    fields.refuse("", "“" + node.key + "” is not a valid name for a variant",
                  "use letters, digits and _");
  read_words(fields, v);
  std::set<std::string> buffers;
  for (const BufferRow& row : model->buffers) buffers.insert(row.name);
  const auto rows =
      std::make_shared<const std::vector<StepRow>>(read_steps(fields, node.key, *model, buffers));
  for (const StepRow& row : *rows) {
    for (const std::string& name : buffers_of({row})) {
      const BufferRow* buffer = model->find_buffer(name);
      if (row.phase != Phase::prepare || buffer == nullptr || buffer->role != BufferRole::output)
        continue;
      fields.refuse("steps",
                    "the step “" + row.name + "” prepares the output " + name +
                        ", but preparation is not timed",
                    "let it write a scratch buffer, or make it a run step");
    }
  }
  v.own_kernels = std::any_of(rows->begin(), rows->end(), [](const StepRow& row) {
    return row.phase == Phase::run && std::holds_alternative<KernelRow>(row.action);
  });
  v.steps = [model, rows, name = v.name](const Workload& w) {
    // Where there are none the constraint below says why.
    return make_steps(*rows, *model, w.axes, name).value_or(std::vector<Step>{});
  };
  v.constraints = {launches_are_sizes(model, rows, v.name)};
  for (const Node* rule : fields.list("constraints")) {
    const Fields of_rule(errors, *rule, fields.at("constraints"), {"holds", "sentence"});
    v.constraints.push_back(read_constraint(of_rule, model, v.name));
  }
  if (const auto applies = fields.expression("applies", model->scope.names())) {
    v.applies = [model, applies = *applies, name = v.name](const Configuration& axes) {
      return applies.value(model->scope.at(axes, name)) != 0;
    };
  }
  read_scratch(model, buffers_of(*rows), v);
  read_own_work(fields, model, v);
  return v;
}

// That the variants whose own defaults an axis has are there.
void known_defaults(const Fields& axis, const Fields& root) {
  if (!root.errors().refuses_unused()) return;
  std::vector<std::string> all;
  for (const Node* node : root.tables("variants")) all.push_back(node->key);
  for (const Node* own : axis.tables("defaults_of")) {
    if (std::find(all.begin(), all.end(), own->key) != all.end()) continue;
    root.errors().add(own->line, axis.at("defaults_of." + own->key),
                      "there is no variant “" + own->key + "”", suggest(own->key, all));
  }
}

// Names of variants elsewhere in the description; copies may stand further down.
void known_variant(const Fields& fields, const char* key, const Fields& root) {
  std::vector<std::string> all;
  for (const Node* node : root.tables("variants")) all.push_back(node->key);
  for (const std::string& name : fields.texts(key)) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    fields.refuse(key, "there is no variant “" + name + "”", suggest(name, all));
  }
}

}  // namespace

void read_variants(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                   Scene& scene) {
  const std::vector<const Node*> rows = root.tables("variants");
  if (rows.empty() || rows.size() > kMostVariants) {
    root.refuse("variants", "a scene has 1 to 200 variants",
                "write [variants.NAME] with grid, block and arguments");
    return;
  }
  for (const Node* node : rows) {
    if (!is_copy(*node)) scene.variants.push_back(read_variant(*node, model, root.errors()));
  }
  if (scene.variants.empty())
    return root.refuse("variants", "all variants are copies", "write one without a parent");
  for (const Node* node : root.tables("axes")) {
    if (node->kind != Node::Kind::table) continue;
    const Fields axis(root.errors(), *node, "axes." + node->key, {});
    known_variant(axis, "of_variants", root);
    known_defaults(axis, root);
  }
  known_variant(root, "baseline", root);
  scene.baseline = root.text("baseline", scene.variants.front().name);
}

void read_leagues(const Fields& root, Scene& scene) {
  for (const Node* node : root.tables("leagues")) {
    const Fields fields(root.errors(), *node, "leagues." + node->key,
                        {"label", "sentence", "baseline"});
    fields.requires_key("baseline", "name the variant that others in it are compared with");
    known_variant(fields, "baseline", root);
    League league;
    league.name = node->key;
    league.label = fields.text("label", node->key);
    league.sentence = fields.text("sentence", league.label + ".");
    league.baseline = fields.text("baseline");
    scene.leagues.push_back(std::move(league));
  }
  std::vector<std::string> names;
  for (const League& league : scene.leagues) names.push_back(league.name);
  for (const Node* node : root.tables("variants")) {
    if (node->kind != Node::Kind::table || is_copy(*node)) continue;
    const Fields fields(root.errors(), *node, "variants." + node->key, {});
    const std::string league = fields.text("league");
    const bool known = std::find(names.begin(), names.end(), league) != names.end();
    if (league.empty() ? names.empty() : known) continue;
    fields.refuse("league",
                  league.empty() ? "it has no league, but the scene has leagues"
                                 : "there is no league “" + league + "”",
                  names.empty() ? "write [leagues." + league + "] with its baseline"
                                : suggest(league, names));
  }
}

void read_presets(const Fields& root, Scene& scene) {
  for (const Node* node : root.tables("presets")) {
    const Fields fields(root.errors(), *node, "presets." + node->key, {"sentence", "values"});
    Preset preset;
    preset.name = node->key;
    preset.sentence = fields.text("sentence", preset.name + ".");
    fields.requires_key("values", "write values = { n = 1024 }");
    for (const Node* value : fields.tables("values"))
      preset.values[value->key] = typed_text(*value).value_or("");
    const Result<Configuration> good =
        with_values(scene.axes, default_configuration(scene.axes), preset.values);
    if (!good) root.errors().add(node->line, fields.at("values"), good.error());
    scene.presets.push_back(std::move(preset));
  }
}

}  // namespace warpscope::folder
