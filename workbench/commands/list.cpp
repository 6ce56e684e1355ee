// workbench/commands/list.cpp: list and new: scenes, axes, variants and constraints; metrics; a
// first description.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "profiling/claims/claim_text.h"
#include "profiling/export/verdicts.h"
#include "profiling/figures/metric.h"
#include "profiling/listings/kernel_text.h"
#include "scenes/catalogue.h"
#include "scenes/first_description.h"
#include "scenes/host/enumerators.h"
#include "scenes/variant_families.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/compiled_kernels.h"
#include "workbench/commands/measured_table.h"
#include "workbench/lessons/lesson_outline.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Without a session: the words that hold on any device.
std::string neutral(const std::string& text, const Scene& scene) {
  return resolve(text, {&scene, nullptr, {}, "", {}});
}

const char* kind_of(const Axis& axis) {
  return named(axis.kind, {"integer", "real", "choice", "file", "text", "list"});
}

json described(const Axis& axis) {
  json object = {{"name", axis.name},
                 {"label", axis.label},
                 {"kind", kind_of(axis)},
                 {"unit", axis.unit},
                 {"default", to_text(axis.default_value)},
                 {"minimum", axis.typed_minimum},
                 {"maximum", axis.typed_maximum},
                 {"choices", axis.choices},
                 {"description", axis.description},
                 {"of_variants", axis.of_variants}};
  json defaults = json::object();
  for (const auto& [variant, value] : axis.defaults_of) defaults[variant] = to_text(value);
  object["defaults_of"] = defaults;
  return object;
}

// Whose an axis is, and where it has another default: "of tiled (default 16), plain".
std::string owners_of(const Axis& axis) {
  std::string words;
  for (const std::string& variant : axis.of_variants) {
    const auto own = axis.defaults_of.find(variant);
    words += (words.empty() ? "of " : ", ") + variant +
             (own == axis.defaults_of.end() ? "" : " (default " + to_text(own->second) + ")");
  }
  return words;
}

json described(const Scene& scene) {
  json axes = json::array(), variants = json::array(), presets = json::array();
  for (const Axis& axis : scene.axes) axes.push_back(described(axis));
  for (const Variant& v : scene.variants) {
    json constraints = json::array();
    for (const Constraint& c : v.constraints) {
      if (!c.rule.empty()) constraints.push_back(c.rule);
    }
    json differences = json::array();
    for (const KnownDifference& known : v.known_differences)
      differences.push_back({{"figure", known.figure},
                             {"side", known.side == Side::above ? "above" : "below"},
                             {"least_ratio", known.least_ratio},
                             {"most_ratio", known.most_ratio},
                             {"reason", known.reason}});
    variants.push_back({{"name", v.name},
                        {"label", v.label},
                        {"family", v.family},
                        {"sentence", neutral(v.sentence, scene)},
                        {"look_at", neutral(v.look_at, scene)},
                        {"accuracy", v.accuracy},
                        {"league", v.league},
                        {"constraints", constraints},
                        {"known_differences", differences}});
  }
  for (const Preset& p : scene.presets)
    presets.push_back(
        {{"name", p.name}, {"sentence", neutral(p.sentence, scene)}, {"values", p.values}});
  json article = json::array();
  for (const ArticleClaim& claim : scene.article)
    article.push_back({{"said", claim.said}, {"claim", claim.expression}, {"shown", claim.shown}});
  return {{"name", scene.name}, {"title", scene.title},      {"story", neutral(scene.story, scene)},
          {"axes", axes},       {"variants", variants},      {"presets", presets},
          {"article", article}, {"baseline", scene.baseline}};
}

void print(const Scene& scene) {
  std::printf("%s: %s\n%s\n\naxes\n", scene.name.c_str(), scene.title.c_str(),
              neutral(scene.story, scene).c_str());
  std::size_t label_width = 0;
  for (const Axis& axis : scene.axes) label_width = std::max(label_width, axis.label.size());
  for (const Axis& axis : scene.axes) {
    std::string range;
    if (axis.kind == AxisKind::choice) {
      for (const std::string& choice : axis.choices) range += (range.empty() ? "" : ", ") + choice;
    } else if (axis.kind == AxisKind::integer || axis.kind == AxisKind::real) {
      char text[96];
      std::snprintf(text, sizeof text,
                    axis.kind == AxisKind::integer ? "%.0f to %.0f" : "%.10g to %.10g",
                    axis.typed_minimum, axis.typed_maximum);
      range = text;
    }
    std::printf("  %-15s %s default %-8s %s%s%s\n", axis.name.c_str(),
                padded(axis.label, label_width).c_str(), to_text(axis.default_value).c_str(),
                range.c_str(), axis.unit.empty() ? "" : " ", axis.unit.c_str());
    if (!of_problem(axis)) std::printf("  %-15s %s\n", "", owners_of(axis).c_str());
  }
  std::printf("\nvariants\n");
  std::size_t family_width = 0;
  for (const Variant& v : scene.variants)
    family_width = std::max(family_width, family_label(scene, v.family).size());
  for (const Variant& v : scene.variants) {
    std::printf("  %-24s %s %s\n", v.name.c_str(),
                padded(family_label(scene, v.family), family_width).c_str(),
                neutral(v.sentence, scene).c_str());
    for (const Constraint& c : v.constraints) {
      if (!c.rule.empty()) std::printf("  %-34s needs: %s\n", "", c.rule.c_str());
    }
  }
  if (!scene.article.empty()) std::printf("\nwhat its article says\n");
  for (const ArticleClaim& claim : scene.article) std::printf("  %s\n", claim.said.c_str());
}

// "(line 2)": where a text has the kernel; empty: it has none of this name.
std::string line_of_kernel(const std::vector<std::string>& lines, const std::string& kernel) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(" " + kernel + "(") != std::string::npos &&
        lines[i].find("void") != std::string::npos)
      return "(line " + std::to_string(i + 1) + ")";
  }
  return "";
}

// What the description of a person's file had to guess, with the source line where it has one.
void print_guesses(const Catalogue& catalogue, const Scene& scene) {
  constexpr std::string_view kMark = "# ? ";
  const auto text = catalogue.text(scene.name);
  if (text == nullptr || text->file.empty()) return;
  constexpr std::string_view kVariant = "[variants.";
  const std::vector<std::string> kernels = lines_of(text->sources.front().text);
  bool any = false;
  std::string variant;
  for (const std::string& line : lines_of(text->description)) {
    if (line.starts_with(kVariant))
      variant = line.substr(kVariant.size(), line.find(']') - kVariant.size());
    if (!line.starts_with(kMark)) continue;
    if (!std::exchange(any, true)) std::printf("\nguesses\n");
    std::string words = line.substr(kMark.size());
    const std::string place = line_of_kernel(kernels, variant);
    if (words.find("(line ") == std::string::npos && !place.empty() && words.ends_with('.'))
      words.replace(words.size() - 1, 1, " " + place + ".");
    std::printf("  ? %s\n", words.c_str());
  }
}

json described(const Metric& metric) {
  return {{"id", metric.id},       {"label", metric.label},      {"unit", metric.unit},
          {"group", metric.group}, {"cupti", metric.cupti_name}, {"sentence", metric.sentence}};
}

void print_metrics(bool as_json) {
  json all = json::array();
  std::string group;
  for (const Metric& metric : all_metrics()) {
    if (as_json) {
      all.push_back(described(metric));
      continue;
    }
    if (group != metric.group)
      std::printf("%s%s\n", group.empty() ? "" : "\n", metric.group.c_str());
    group = metric.group;
    std::printf("  %-34s %-7s %s\n", metric.id.c_str(), metric.unit.c_str(), metric.label.c_str());
    std::printf("  %-42s %s\n", "", metric.sentence.c_str());
    if (!metric.cupti_name.empty())
      std::printf("  %-42s CUPTI: %s\n", "", metric.cupti_name.c_str());
  }
  if (as_json) std::printf("%s\n", all.dump(2).c_str());
}

// The scene of this name or folder; of an empty one all, with those of the user's scene folder.
Result<std::vector<const Scene*>> listed(Catalogue& catalogue, const std::string& name) {
  if (!name.empty()) {
    return scene_argument(catalogue, name).map([](const SceneAndVariants& found) {
      return std::vector<const Scene*>{found.scene};
    });
  }
  for (const Error& wrong : catalogue.open_user_folders())
    std::fprintf(stderr, "warpscope: %s\n", sentence(wrong).c_str());
  return catalogue.all();
}

// Every variant once, emulated: whether it compiles, and what it does that it must not.
int try_out(const std::filesystem::path& folder, const EngineChoice& engine) {
  const auto catalogue = program_catalogue();
  const Result<const Scene*> scene = catalogue->open_folder(folder);
  if (!scene) return fail(scene.error());
  std::vector<Job> jobs;
  for (const Variant& variant : (*scene)->variants) {
    Job job;
    job.work = VerifyJob{};
    job.scene = (*scene)->name;
    job.variant = variant.name;
    jobs.push_back(std::move(job));
  }
  Session session(catalogue);
  if (const auto ran = run_jobs(emulator_command(engine), jobs, session, nullptr); !ran)
    return fail_jobs(ran.error());
  print_verdicts(session, "emulator");
  return has_findings(session) ? 1 : 0;
}

// All lessons in the order of the course, by level.
void print_lessons(bool as_json) {
  const std::vector<LessonOutline> lessons = shipped_lessons();
  json all = json::array();
  std::string level;
  for (const LessonOutline& lesson : lessons) {
    const std::string name = lesson.path.stem().string();
    if (as_json) {
      all.push_back({{"name", name},
                     {"title", lesson.title},
                     {"level", lesson.place.level},
                     {"number", lesson.place.number},
                     {"scene", lesson.scene},
                     {"steps", lesson.steps},
                     {"questions", lesson.questions},
                     {"minutes", lesson.minutes},
                     {"broken", lesson.broken}});
      continue;
    }
    if (lesson.place.level != level)
      std::printf("%s%s\n", level.empty() ? "" : "\n", lesson.place.level.c_str());
    level = lesson.place.level;
    if (!lesson.broken.empty()) {
      std::printf("  %s\n", lesson.broken.c_str());
      continue;
    }
    std::printf("%4d  %-22s %2d min, %zu steps, %zu questions: %s\n", lesson.place.number,
                name.c_str(), lesson.minutes, lesson.steps, lesson.questions, lesson.title.c_str());
  }
  if (as_json) std::printf("%s\n", all.dump(2).c_str());
}

}  // namespace

void declare_list(CLI::App& command, int& status) {
  auto as_json = std::make_shared<bool>(false);
  auto metrics = std::make_shared<bool>(false);
  auto lessons = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  auto* scene_option = command.add_option(
      "scene", *name, "one scene, its folder or a .cu file; all of them by default");
  command.add_flag("--metrics", *metrics, "the figures that can be measured, counted or derived")
      ->excludes(scene_option);
  command.add_flag("--lessons", *lessons, "the lessons in the order of the course, by level")
      ->excludes(scene_option);
  command.add_flag("--json", *as_json, "print JSON");
  declare_folders(command);
  command.callback([as_json, metrics, lessons, name, &status] {
    if (*lessons) return print_lessons(*as_json);
    if (*metrics) return print_metrics(*as_json);
    if (list_machine_code_alone(*name, *as_json)) return;
    const auto catalogue = program_catalogue();
    const Result<std::vector<const Scene*>> scenes = listed(*catalogue, *name);
    if (!scenes) {
      status = fail(scenes.error());
      return;
    }
    json all = json::array();
    for (const Scene* scene : *scenes) {
      if (*as_json) {
        all.push_back(described(*scene));
      } else {
        print(*scene);
        print_guesses(*catalogue, *scene);
      }
    }
    if (*as_json) std::printf("%s\n", all.dump(2).c_str());
  });
}

void declare_new(CLI::App& command, int& status) {
  struct Options {
    std::string kernel;
    EngineChoice engine;
  };
  auto options = std::make_shared<Options>();
  command.add_option("kernel", options->kernel, "a .cu file with __global__ functions")->required();
  declare_folders(command);
  command.add_option("--engine", options->engine.path, "path of warpscope-engine");
  command.callback([options, &status] {
    const Result<std::filesystem::path> folder = write_first_description(options->kernel);
    if (!folder) {
      status = fail(folder.error());
      return;
    }
    const std::string name = folder->string();
    std::printf(
        "%s now has a scene.toml, with a comment on every field; there is no reference "
        "yet.\n`warpscope list %s` prints it, `warpscope trace %s/VARIANT` shows a kernel's memory "
        "accesses,\n`warpscope %s` opens it.\n",
        name.c_str(), name.c_str(), name.c_str(), name.c_str());
    std::fflush(stdout);
    status = try_out(*folder, options->engine);
  });
}

}  // namespace warpscope
