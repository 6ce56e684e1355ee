// workbench/window/remembered.cpp: what the window keeps from one run to the next, in a file.
#include "workbench/window/remembered.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/text/json_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"
#include "workbench/workspace/file_kind.h"

namespace warpscope {
namespace {

using nlohmann::json;

std::filesystem::path layout_path() { return config_folder() / "layout.json"; }

// Fields of an object that may be there; what is of another type or out of range is named in `bad`.
class Fields {
 public:
  Fields(const json& object, std::string& bad) : object_(object), bad_(bad) {}
  void number(const char* name, float& value, float low, float high) {
    const json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_number()) return refuse(name);
    value = std::clamp(found->get<float>(), low, high);
    if (value != found->get<float>()) refuse(name);
  }
  void whole(const char* name, int& value, int low, int high) {
    const json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_number_integer() || found->get<std::int64_t>() < low ||
        found->get<std::int64_t>() > high)
      return refuse(name);
    value = found->get<int>();
  }
  void flag(const char* name, bool& value) {
    const json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return refuse(name);
    value = found->get<bool>();
  }
  void text(const char* name, std::string& value) {
    const json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_string()) return refuse(name);
    value = found->get<std::string>();
  }
  void tab(const char* name, std::string& value) {
    std::string panel = value;
    text(name, panel);
    if (find_panel(panel) == nullptr) return refuse(name);
    value = std::move(panel);
  }
  void texts(const char* name, std::vector<std::string>& values) {
    const json* found = find(name);
    if (found == nullptr) return;
    const bool good = found->is_array() && std::all_of(found->begin(), found->end(),
                                                       [](const json& e) { return e.is_string(); });
    if (!good) return refuse(name);
    values = found->get<std::vector<std::string>>();
  }
  // An object of that name, or null.
  const json* object(const char* name) {
    const json* found = find(name);
    if (found == nullptr || found->is_object()) return found;
    refuse(name);
    return nullptr;
  }
  void refuse(const std::string& name) { bad_ += (bad_.empty() ? "" : ", ") + name; }

 private:
  const json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& object_;
  std::string& bad_;
};

void read_parts(Fields& fields, FrameState& state) {
  fields.number("scale", state.user_scale, 0.75f, 2.5f);
  fields.tab("centre_tab", state.centre_tab);
  fields.tab("right_tab", state.right_tab);
  fields.tab("bottom_tab", state.bottom_tab);
  fields.tab("left_tab", state.left_tab);
  fields.tab("stacked_tab", state.stacked_tab);
  fields.texts("recent", state.help.palette.recent);
  std::string theme = "dark";
  fields.text("theme", theme);
  if (theme != "dark" && theme != "light") fields.refuse("theme");
  state.theme = theme == "light" ? Theme::light : Theme::dark;
}

WindowPlace read_place(const json& object, std::string& bad) {
  constexpr int kFar = 1 << 15, kLeastWidth = 320, kLeastHeight = 240;
  WindowPlace place;
  Fields fields(object, bad);
  fields.whole("x", place.x, -kFar, kFar);
  fields.whole("y", place.y, -kFar, kFar);
  fields.whole("width", place.width, kLeastWidth, kFar);
  fields.whole("height", place.height, kLeastHeight, kFar);
  fields.flag("maximised", place.maximised);
  return place;
}

RememberedScene read_scene(const json& object, std::string& bad) {
  RememberedScene scene;
  Fields fields(object, bad);
  fields.text("variant", scene.variant);
  fields.text("baseline", scene.baseline);
  if (const json* axes = fields.object("axes")) {
    Fields values(*axes, bad);
    for (const auto& [name, value] : axes->items()) values.text(name.c_str(), scene.axes[name]);
  }
  return scene;
}

void read_chosen(Fields& fields, Remembered& remembered, std::string& bad) {
  if (const json* place = fields.object("window")) {
    const WindowPlace read = read_place(*place, bad);
    if (read.width > 0 && read.height > 0) remembered.place = read;
  }
  fields.text("scene", remembered.scene);
  fields.text("session", remembered.session);
  fields.texts("starred", remembered.starred);
  const json* scenes = fields.object("scenes");
  if (scenes == nullptr) return;
  for (const auto& [name, scene] : scenes->items()) {
    if (!scene.is_object()) {
      fields.refuse(name);
      continue;
    }
    remembered.scenes[name] = read_scene(scene, bad);
    bool more = false;
    Fields(scene, bad).flag("more", more);
    remembered.folded[name] = !more;
  }
}

// The choice in today's terms. error: usage, of the first axis that does not take its value.
Result<SceneChoice> choice_of(const Scene& scene, const RememberedScene& kept) {
  SceneChoice choice{default_configuration(scene.axes), scene.baseline, scene.baseline};
  for (const auto& [text, name] :
       {std::pair(&kept.variant, &choice.variant), std::pair(&kept.baseline, &choice.baseline)}) {
    if (find_variant(scene, *text) != nullptr) *name = *text;
  }
  Result<Configuration> axes = with_values(scene.axes, choice.axes, kept.axes);
  if (!axes) return tl::unexpected(axes.error());
  choice.axes = std::move(*axes);
  return choice;
}

bool has_points_of(const Workspace& workspace, const std::string& scene) {
  const auto points = workspace.session().all_points();
  return std::any_of(points.begin(), points.end(),
                     [&](const Measurement* point) { return point->scene == scene; });
}

RememberedScene kept_of(const Scene& scene, const SceneChoice& choice) {
  RememberedScene kept{choice.variant, choice.baseline, {}};
  const Configuration usual = default_configuration(scene.axes);
  for (const auto& [name, value] : choice.axes.values()) {
    if (!usual.has(name) || !(usual.at(name) == value)) kept.axes[name] = to_text(value);
  }
  return kept;
}

}  // namespace

bool is_first_start() {
  std::error_code unknown;
  return !config_folder().empty() && !std::filesystem::exists(layout_path(), unknown);
}

Result<void> load_layout(FrameState& state, Remembered& remembered) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  std::error_code ignored;
  if (config_folder().empty() || !std::filesystem::exists(layout_path(), ignored)) return {};
  const Result<std::string> text = read_input(layout_path(), kMostBytes);
  if (!text) return tl::unexpected(text.error());
  const auto broken = [](const std::string& what) {
    return failure(ErrorKind::input, what, layout_path().string(),
                   "close the window to have it written anew, or delete it");
  };
  const Result<json> parsed = parse_json(*text, "");
  if (!parsed || !parsed->is_object())
    return broken("the window's layout is not JSON as the window writes it and was ignored");
  const json& layout = *parsed;
  std::string bad;
  Fields fields(layout, bad);
  read_parts(fields, state);
  read_chosen(fields, remembered, bad);
  if (!bad.empty()) return broken("the window's layout has values that cannot be used: " + bad);
  return {};
}

Result<void> save_layout(const FrameState& state, const Remembered& remembered) {
  json layout = {{"scale", state.user_scale},
                 {"centre_tab", state.centre_tab},
                 {"right_tab", state.right_tab},
                 {"bottom_tab", state.bottom_tab},
                 {"left_tab", state.left_tab},
                 {"stacked_tab", state.stacked_tab},
                 {"theme", state.theme == Theme::light ? "light" : "dark"},
                 {"recent", state.help.palette.recent},
                 {"starred", remembered.starred},
                 {"scene", remembered.scene},
                 {"session", remembered.session}};
  if (const std::optional<WindowPlace>& place = remembered.place) {
    layout["window"] = {{"x", place->x},
                        {"y", place->y},
                        {"width", place->width},
                        {"height", place->height},
                        {"maximised", place->maximised}};
  }
  for (const auto& [name, scene] : remembered.scenes) {
    const auto folded = remembered.folded.find(name);
    layout["scenes"][name] = {{"variant", scene.variant},
                              {"baseline", scene.baseline},
                              {"axes", scene.axes},
                              {"more", folded != remembered.folded.end() && !folded->second}};
  }
  std::error_code ignored;
  if (config_folder().empty()) return {};  // nobody's: nothing is remembered
  std::filesystem::create_directories(layout_path().parent_path(), ignored);
  return write_own_file(layout_path(), layout.dump(2) + "\n");
}

Result<void> recall(const Remembered& remembered, Workspace& workspace) {
  std::string bad;
  for (const auto& [name, kept] : remembered.scenes) {
    const Result<const Scene*> scene = workspace.catalogue()->find(name);
    if (!scene) continue;
    Result<SceneChoice> choice = choice_of(**scene, kept);
    if (choice) {
      workspace.selection.left_at[name] = std::move(*choice);
    } else {
      bad += (bad.empty() ? "" : "; ") + name + ": " + sentence(choice.error());
    }
  }
  std::string scene = workspace.scene().name;
  const bool opened = workspace.view().opened.openings() > 0;
  if (workspace.catalogue()->find(remembered.scene) &&
      (!opened || has_points_of(workspace, remembered.scene)))
    scene = remembered.scene;
  if (Result<void> turned = workspace.begin_at(scene); !turned) return turned;
  if (bad.empty()) return {};
  return failure(ErrorKind::input, "what was chosen last cannot be chosen any more: " + bad,
                 layout_path().string(), "");
}

void remember(const Workspace& workspace, Remembered& remembered) {
  const Selection& selection = workspace.selection;
  remembered.scene = workspace.scene().name;
  remembered.session = workspace.view().opened.opened_by_hand();
  std::map<std::string, SceneChoice> choices = selection.left_at;
  choices[remembered.scene] = {selection.axes, selection.variant, selection.baseline};
  for (const auto& [name, choice] : choices) {
    if (const Result<const Scene*> scene = workspace.catalogue()->find(name))
      remembered.scenes[name] = kept_of(**scene, choice);
  }
}

namespace {

// "…/scene.toml:12, variants.x.grid" as a file and a line.
Mistake mistake_of(const Error& error) {
  const std::string place = error.where.substr(0, error.where.find(','));
  const std::size_t colon = place.rfind(':');
  Mistake mistake{kDescriptionFile, 0, error.what};
  if (!error.remedy.empty()) mistake.sentence += "; " + error.remedy;
  if (colon != std::string::npos) mistake.line = std::atoi(place.c_str() + colon + 1);
  return mistake;
}

}  // namespace

void follow_folder(FolderWatch& watch, Workspace& workspace) {
  const auto saved = watch.look(*workspace.catalogue(), workspace.scene().name);
  if (!saved) return;
  if (!*saved) {
    const Error& error = saved->error();
    const std::string& scene = workspace.scene().name;
    const bool of_file = !workspace.catalogue()->file_of(scene).empty();
    const std::string why =
        sentence(error) + "; the last good " + (of_file ? "text" : "description") + " stays";
    workspace.log.add({"error", why, 0});
    Mistake mistake = mistake_of(error);
    if (of_file) mistake.file = workspace.catalogue()->text(scene)->sources.front().path;
    workspace.say_mistake(std::move(mistake));
    return workspace.log.notify(why);
  }
  workspace.say_mistake(std::nullopt);
  const Scene& scene = ***saved;
  Selection& selection = workspace.selection;
  selection.scene = scene.name;  // a description may have given it another name
  refit(selection, scene);
  if (workspace.view().recorded()) {
    workspace.requests.ask(request::Judge{selection.variant});
  } else {
    workspace.requests.ask(request::Saved{});
  }
}

}  // namespace warpscope
