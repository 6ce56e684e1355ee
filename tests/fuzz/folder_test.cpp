// tests/fuzz/folder_test.cpp: no description and no expression, however broken, throws, crashes, or
// makes a scene that cannot be asked.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenes/base/npy_array.h"
#include "scenes/first_description.h"
#include "scenes/folder/expression.h"
#include "scenes/folder/scene_text.h"
#include "tests/folders.h"
#include "tests/fuzz/mutation.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

void expect_explained(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.what.empty()) << text;
  EXPECT_FALSE(error.remedy.empty()) << sentence(error) << "\n" << text;
  EXPECT_NE(error.kind, ErrorKind::internal) << sentence(error) << "\n" << text;
}

TEST(FuzzFolders, AnyTextIsAnExpressionOrIsExplained) {
  const std::vector<std::string> seeds = {"ceil_div(n, 256)",
                                          "n > 4 ? 2 * n : 8",
                                          "op == 'sum' ? min(n, m, 3) : -n ^ 2",
                                          "!(n % 7 == 0) && m <= 1e3 || n != m",
                                          "round_up(n * m + 1, 128) / 2 - floor(n / 3)",
                                          "uniform(1, i) < 0.5 ? i : below(2, i, n)"};
  const std::vector<std::string> words = {
      "(", ")", "?", ":", ",",  "==", "=",    "'",  "\"",  "n", "nothing", "1e", "e",    ".",
      "%", "^", "-", "!", "&&", "i",  "max(", "0x", "_pi", "[", ";",       "\n", "\xff", "'sum'"};
  const std::vector<ExpressionName> names = {{"n", {}}, {"m", {}}, {"op", {"copy", "sum"}}};
  const auto lookup = [](const std::string& name) { return name == "n" ? 10.0 : 1.0; };
  for_mutations(seeds, words, [&](const std::string& text) {
    for (const Expression::Use use : {Expression::Use::value, Expression::Use::element}) {
      const Result<Expression> parsed = Expression::parse(text, names, use);
      if (!parsed) {
        expect_explained(parsed.error(), text);
        continue;
      }
      const double value = parsed->value(lookup);
      const Result<std::int64_t> whole = parsed->whole(lookup);
      if (whole) {
        EXPECT_EQ(static_cast<double>(*whole), value) << text;
      } else {
        expect_explained(whole.error(), text);
      }
      std::vector<double> elements(3);
      parsed->elements(lookup, 1, 5, elements);
    }
  });
}

// Asks a scene what a window asks before it runs anything.
void ask(const Scene& scene) {
  for (const Variant& variant : scene.variants) {
    const Result<Configuration> axes = configured(scene, variant.name, {});
    if (!axes) continue;
    static_cast<void>(configuration_key(scene.axes, *axes, variant.name));
    if (!scene.admit(*axes)) continue;
    const Workload w{*axes, {}};
    static_cast<void>(applies(variant, *axes));
    const auto reason = unavailable(variant, w, {});
    const std::vector<Step> steps = variant.steps(w);
    EXPECT_TRUE(reason || !steps.empty() || variant.name.empty());
    EXPECT_GE(scene.estimate_bytes(*axes), 0);
    for (const Reference& reference : scene.references) static_cast<void>(reference.steps(w));
    for (const WorkTerm& term : scene.work_terms)
      EXPECT_GE(evaluate(term, w, variant).value_or(0), 0);
    if (scene.estimate_bytes(*axes) > 1 << 20) continue;
    Inputs inputs;
    Facts facts;
    static_cast<void>(regenerate_inputs(scene, nullptr, *axes, inputs, facts));
    for (const BufferSpec& spec : scene.buffers(w)) {
      for (const InputGroup& group : scene.input_groups) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(
            std::min<std::int64_t>(spec.count, 4) * element_bytes(spec.type)));
        if (group.name == spec.name) group.elements(w, spec.name, 0, bytes);
      }
    }
  }
}

TEST(FuzzFolders, AnyDescriptionIsASceneOrIsExplained) {
  std::vector<std::string> seeds = {
      kDoublingDescription,
      std::string(kDoublingDescription) +
          "[variants.copy]\nparent = \"twice\"\nsources = { "
          "\"k.cu\" = \"k.cu\" }\n[defaults]\nn = 3\n",
      "fork = \"patterns\"\n[axes.w]\nrange = [1, 9]\ndefault = 2\n[variants.copy]\nparent = "
      "\"copy_stride\"\nlaunch.\"copy\" = { block = \"w\" }\n"};
  std::string with_maps = kDoublingDescription;
  const std::string passed = "\"x\", \"y\"";
  with_maps.replace(with_maps.find(passed), passed.size(),
                    "\"map:{x+16,f32,(4,n/4),(16),(4,8),swizzle:128,fetch:64}\", "
                    "\"struct:{i32:n,map:{y,f16,(64),(),(64)}}\"");
  seeds.push_back(with_maps);
  for (const char* name : {"histogram", "scan", "transpose", "saxpy"}) {
    std::ifstream file(source_folder() / "assets" / "examples" / "kernels" / name / "scene.toml");
    std::stringstream text;
    text << file.rdbuf();
    seeds.push_back(text.str());
  }
  const std::vector<std::string> words = {
      "[",      "]",           "{",           "}",         "=",
      "\"",     "\n",          "[axes.n]",    "0",         "-1",
      "1e999",  "nan",         "true",        "\"n / 3\"", "steps",
      "memset", "applies",     "\"scratch\"", "shape",     "define",
      "[work]", "99999999999", "'''",         "\xff",      "[variants.v]",
      "file",   "\"x.npy\"",   "files",       "variant",   "linked_to",
      "map:{",  "swizzle:",    "(1,1)",       "fetch:0"};
  std::int64_t scenes = 0;
  for_mutations(seeds, words, [&](const std::string& text) {
    SceneText scene_text;
    scene_text.name = "fuzzed";
    scene_text.file = "fuzzed/scene.toml";
    scene_text.description = text;
    scene_text.sources = {kernel_source("fuzzed/k.cu", "")};
    static_cast<void>(data_files_of(text));
    const Result<Scene> scene = scene_of(scene_text);
    if (!scene) return expect_explained(scene.error(), text);
    ++scenes;
    if (scene->fork_of.empty()) ask(*scene);  // a built-in scene's steps ask for facts of inputs
  });
  EXPECT_GT(scenes, 5);
}

TEST(FuzzFolders, AnyKernelTextMakesADescriptionOrIsExplained) {
  const std::vector<std::string> seeds = {
      kDoublingKernel,
      "extern \"C\" __global__ void __launch_bounds__(128, 2) k(const float4* __restrict__ x,  // "
      "[rows, 4]\n  double *y, /* [n] */ long long n, int rows) { y[threadIdx.y] = x[0].x; }"};
  const std::vector<std::string> words = {
      "__global__", "(",        ")", ",", "//", "/*", "*/", "extern \"C\"", "{", "}",
      ";",          "template", "[", "]", "*",  "<",  ">",  "void"};
  for_mutations(seeds, words, [&](const std::string& text) {
    const Result<std::string> description = first_description(text, "k.cu");
    if (!description) return expect_explained(description.error(), text);
    SceneText scene_text;
    scene_text.name = "k";
    scene_text.description = *description;
    scene_text.sources = {kernel_source("k/k.cu", text)};
    if (const Result<Scene> scene = scene_of(scene_text)) ask(*scene);
  });
}

TEST(FuzzFolders, AnyBytesAreAnArrayOrAreExplained) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n";
  std::string seed("\x93NUMPY\x01\x00", 8);
  seed += static_cast<char>(header.size());
  seed += '\0';
  seed += header + "12345678";
  for_mutations({seed}, {"'shape'", "(", ")", "9999999999", "'<f8'", "\xff", "True", ","},
                [&](const std::string& text) {
                  const Result<NpyArray> array = parse_npy_array(text, "x.npy");
                  if (!array) return expect_explained(array.error(), text);
                  EXPECT_EQ(static_cast<std::int64_t>(array->bytes.size()),
                            array->count() * element_bytes(array->type));
                });
}

}  // namespace
}  // namespace warpscope
