// scenes/folder/scene_of.cpp: a scene made of its description.
#include "scenes/folder/scene_of.h"

#include <algorithm>

#include "scenes/folder/folder_model.h"
#include "scenes/folder/fork/copied_variants.h"

namespace warpscope {
namespace {

using folder::BufferRow;
using folder::FolderModel;

constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude: 8 each
constexpr std::size_t kMostFiles = 200;

const std::vector<const char*> kKeys = {"name",     "title",        "story",     "source",
                                        "baseline", "sweep_metric", "axes",      "let",
                                        "buffers",  "variants",     "reference", "tolerance",
                                        "work",     "leagues",      "presets",   "defaults"};
// Keys of a description that takes everything else from a built-in scene.
const std::vector<const char*> kForkKeys = {"name",     "title",    "story", "fork", "baseline",
                                            "defaults", "variants", "axes",  "let"};

// Buffers that every variant has, at these axes.
Result<std::vector<BufferSpec>> specs_of(const FolderModel& model, const Configuration& axes) {
  std::vector<BufferSpec> specs;
  for (const BufferRow& row : model.buffers) {
    if (row.role == BufferRole::scratch || !model.applies(row, axes)) continue;
    Result<BufferSpec> spec = model.spec_of(row, axes);
    if (!spec) return tl::unexpected(spec.error());
    specs.push_back(std::move(*spec));
  }
  return specs;
}

std::int64_t bytes_of(const FolderModel& model, const Configuration& axes) {
  std::int64_t bytes = 0;
  for (const BufferSpec& spec : specs_of(model, axes).value_or(std::vector<BufferSpec>{})) {
    const bool result = spec.role == BufferRole::output || spec.role == BufferRole::state;
    bytes += spec.count * (element_bytes(spec.type) + (result ? kReferenceBytes : 0));
  }
  return bytes;
}

std::optional<std::string> nothing_to_do(const FolderModel& model, const Configuration& axes) {
  for (const BufferSpec& spec : specs_of(model, axes).value_or(std::vector<BufferSpec>{})) {
    const bool result = spec.role == BufferRole::output || spec.role == BufferRole::state;
    if (result && spec.count > 0) return std::nullopt;
  }
  return "empty: no output has an element";
}

void read_files(const std::shared_ptr<const SceneText>& kept, const Fields& root,
                FolderModel& model) {
  const SceneText& text = *kept;
  const std::string prefix = text.name + "/";
  for (const KernelSource& source : text.sources) {
    if (source.path.starts_with(prefix)) model.files.insert(source.path.substr(prefix.size()));
  }
  if (model.files.size() > kMostFiles)
    root.refuse("", "the folder has more than 200 kernels",
                "remove those that the scene does not use");
  model.source = root.text("source");
  std::vector<std::string> kernels;
  std::copy_if(model.files.begin(), model.files.end(), std::back_inserter(kernels),
               [](const std::string& file) { return file.ends_with(".cu"); });
  if (model.source.empty() && kernels.size() == 1) model.source = kernels.front();
  // A header that was opened alone.
  if (model.source.empty() && kernels.empty() && model.files.size() == 1)
    model.source = *model.files.begin();
  for (const SceneData& data : text.data) {
    Result<NpyView> array = view_npy_array(data.bytes.text(), data.path, kept);
    if (!array) {
      root.errors().add(0, "", array.error());
    } else {
      model.data[data.path] = std::make_shared<const NpyView>(std::move(*array));
    }
  }
}

void set_functions(const std::shared_ptr<const FolderModel>& model, Scene& scene) {
  scene.admit = [model](const Configuration& axes) -> Result<void> {
    return specs_of(*model, axes).map([](const std::vector<BufferSpec>&) {});
  };
  scene.estimate_bytes = [model](const Configuration& axes) { return bytes_of(*model, axes); };
  scene.buffers = [model](const Workload& w) {
    return specs_of(*model, w.axes).value_or(std::vector<BufferSpec>{});
  };
  scene.nothing_to_do = [model](const Workload& w) { return nothing_to_do(*model, w.axes); };
  scene.input_groups = folder::input_groups_of(model);
  scene.hard_cases = [model] { return folder::fresh_cases_of(model); };
}

void collect_files(const Node& node, std::vector<std::string>& files) {
  for (const Node& item : node.items) collect_files(item, files);
  if (node.kind == Node::Kind::text && node.text.ends_with(".npy") &&
      std::find(files.begin(), files.end(), node.text) == files.end())
    files.push_back(node.text);
}

// What the description of a fork says: copies of a built-in scene's variants.
Result<Scene> forked(const SceneText& text, const Fields& root,
                     const std::shared_ptr<FolderModel>& model) {
  DescriptionErrors& errors = root.errors();
  Scene scene;
  if (!errors.first()) folder::read_forked_scene(root, text.name, *model, scene);
  if (!errors.first()) folder::read_copies(root, model, scene);
  if (!errors.first() && root.has("baseline")) {
    scene.baseline = root.text("baseline");
    if (find_variant(scene, scene.baseline) == nullptr)
      root.refuse("baseline", "there is no variant “" + scene.baseline + "”",
                  "`warpscope list " + scene.fork_of + "` names them");
  }
  if (errors.first()) return tl::unexpected(*errors.first());
  return scene;
}

}  // namespace

std::string scene_hash(const SceneText& text) {
  std::string all = text.name + "\n" + text.description + "\n";
  for (const KernelSource& source : text.sources) all += source.path + " " + source.hash + "\n";
  for (const SceneData& data : text.data)
    all += data.path + " " + hash_of(data.bytes.text()) + "\n";
  return hash_of(all);
}

std::vector<std::string> data_files_of(const std::string& description) {
  std::vector<std::string> files;
  if (const Result<Node> root = parse_description(description, "")) collect_files(*root, files);
  return files;
}

Result<Scene> scene_of(const SceneText& text, UnusedKeys unused) {
  return scene_of(std::make_shared<const SceneText>(text), unused);
}

Result<Scene> scene_of(const std::shared_ptr<const SceneText>& kept, UnusedKeys unused) {
  const SceneText& text = *kept;
  const Result<Node> node = parse_description(text.description, text.file);
  if (!node) return tl::unexpected(node.error());
  DescriptionErrors errors(text.file);
  if (unused == UnusedKeys::accepted) errors.accept_unused();
  const bool forks = node->find("fork") != nullptr;
  const Fields root(errors, *node, "", forks ? kForkKeys : kKeys);
  const auto model = std::make_shared<FolderModel>();
  model->name = text.name;
  if (!folder::is_name(text.name)) {
    root.refuse("name", "“" + text.name + "” is not a valid name for a scene",
                "name the folder, or write name = \"…\", with letters, digits, _ and -");
  }
  read_files(kept, root, *model);
  if (forks) return forked(text, root, model);
  folder::read_axes(root, model->scope);
  folder::read_values(root, model->scope);
  folder::read_buffers(root, *model);
  folder::read_expected(root, *model);
  if (errors.first()) return tl::unexpected(*errors.first());
  Scene scene;
  scene.name = text.name;
  scene.title = root.text("title", text.name);
  scene.story = root.text("story", "Described in the scene.toml of " + text.name + ".");
  scene.axes = model->scope.axes();
  scene.sweep_metric = root.text("sweep_metric");
  set_functions(model, scene);
  folder::read_variants(root, model, scene);
  if (errors.first()) return tl::unexpected(*errors.first());
  folder::read_leagues(root, scene);
  folder::read_presets(root, scene);
  folder::read_work(root, model, scene);
  folder::read_reference(root, model, scene);
  if (errors.first()) return tl::unexpected(*errors.first());
  folder::read_copies(root, model, scene);
  folder::read_defaults(root, scene.axes);
  if (errors.first()) return tl::unexpected(*errors.first());
  return scene;
}

}  // namespace warpscope
