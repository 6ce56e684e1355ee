// scenes/folder/folder_model.h: what a description says, read and checked, before it is a scene.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/base/hard_case.h"
#include "scenes/base/npy_array.h"
#include "scenes/base/step.h"
#include "scenes/base/user_argument.h"
#include "scenes/folder/description_fields.h"
#include "scenes/folder/scene_text.h"
#include "scenes/folder/scope.h"

// One read_… a part, in the order of `scene_of`; each adds what is wrong to the errors of its
// fields. Everything is made at load and only looked at later, from any thread.

namespace warpscope::folder {

// What an input or a state begins as: one of fill_words, an expression of i, or a file.
struct Fill {
  std::string word = "zero";
  std::optional<Expression> element;
  std::shared_ptr<const NpyView> file;
};

struct BufferRow {
  std::string name;
  ElementType type = ElementType::f32;
  BufferRole role = BufferRole::input;
  std::vector<Expression> shape;  // extents; their product is the count
  std::string symbol;
  std::optional<Expression> applies;
  Fill fill;
  std::uint32_t stream = 0;  // of its random numbers
  int line = 0;
};

// "map:{x,f16,(64,n),(128),(64,64),swizzle:128}": what follows the buffer.
struct MapRow {
  ElementType type = ElementType::f32;
  std::vector<Expression> extents, strides, box;
  TensorSwizzle swizzle = TensorSwizzle::none;
  std::int64_t fetched_bytes = 256;
};

struct ArgumentRow {
  std::string buffer;             // or, where it is empty:
  std::int64_t offset_bytes = 0;  // where in the buffer the address is
  ElementType type = ElementType::i32;
  std::optional<Expression> value;
  // A structure by value: its members in order, or its bytes.
  std::vector<ArgumentRow> members = {};
  std::vector<std::byte> raw = {};
  std::shared_ptr<const MapRow> map = {};  // of a tensor that begins there
};

struct DefineRow {
  std::string name;
  std::optional<Expression> value;
  std::string choice;  // … or the text of this axis' choice
};

struct KernelRow {
  std::string source, entry;
  std::vector<DefineRow> defines;
  std::vector<Expression> grid, block, cluster;
  std::optional<Expression> shared;
  bool cooperative = false;
  std::vector<ArgumentRow> arguments;
  // Arrays of __constant__ memory, and the buffers that they are filled from before the launch.
  std::vector<std::pair<std::string, std::string>> constants;
};

struct StepRow {
  std::string name;
  std::optional<Expression> applies;  // empty: always
  Phase phase = Phase::run;
  std::variant<KernelRow, Memset, DeviceCopy> action;
};

// What every part may look at.
struct FolderModel {
  std::string name, source;  // source: of steps that name none
  std::set<std::string> files;
  std::map<std::string, std::shared_ptr<const NpyView>>
      data;  // in the scene's text, which it keeps
  Scope scope;
  std::vector<BufferRow> buffers;
  bool has_seed = false;

  const BufferRow* find_buffer(std::string_view buffer) const;
  bool applies(const BufferRow& row, const Configuration& axes) const;
  // error: usage: an extent that is not a whole number from 0 up, or more than 2^40 elements.
  Result<BufferSpec> spec_of(const BufferRow& row, const Configuration& axes) const;
};

void read_axes(const Fields& root, Scope& scope);
void read_values(const Fields& root, Scope& scope);
void read_buffers(const Fields& root, FolderModel& model);
// Further checks of every folder's variants: other inputs, alone and after a run with these, and
// sizes that are not multiples of a block.
std::vector<HardCase> fresh_cases_of(const std::shared_ptr<const FolderModel>& model);
// Groups of inputs, one an input or a state that begins as something.
std::vector<InputGroup> input_groups_of(const std::shared_ptr<const FolderModel>& model);

// The keys of a step, for tables that are one step and something else.
std::vector<const char*> step_keys(std::initializer_list<const char*> others);
// The steps that a table describes: one, or those of its list `steps`. `buffers` may be named.
std::vector<StepRow> read_steps(const Fields& table, const std::string& entry,
                                const FolderModel& model, const std::set<std::string>& buffers);
// Buffers that an argument names.
void add_buffers(const ArgumentRow& argument, std::set<std::string>& names);
// "map:{x+256,f16,(64,n),(128),(64,64)}". No map: it is refused. (folder_maps.cpp)
struct MapText {
  std::string buffer;  // "x+256"
  std::shared_ptr<const MapRow> map;
};
MapText read_map(const Fields& fields, const std::string& text, const FolderModel& model);
// Members that a structure is laid out of: an address, and a map, whose first bytes are one.
UserArgument reference_to(const ArgumentRow& row);
UserArgument map_member(const ArgumentRow& row);
// error: usage: a size that is none at these axes.
Result<TensorMapArgument> map_at(const ArgumentRow& row, const Expression::Lookup& lookup);
// Launch shape and constants in place of those that a launch has: as far as the table says.
KernelRow read_relaunch(const Fields& table, const FolderModel& model);
// error: as make_steps.
Result<void> relaunch(const KernelRow& row, const FolderModel& model, const Configuration& axes,
                      const std::string& variant, KernelLaunch& kernel);
// Buffers that the steps name.
std::set<std::string> buffers_of(const std::vector<StepRow>& rows);
// error: usage: a size that is none at these axes, a value that its type cannot hold.
Result<std::vector<Step>> make_steps(const std::vector<StepRow>& rows, const FolderModel& model,
                                     const Configuration& axes, const std::string& variant);

void read_variants(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                   Scene& scene);
// The inputs "y.expected" that a reference of files asks for.
void read_expected(const Fields& root, FolderModel& model);
// After the variants: what they are compared with, and by how much they may differ.
void read_reference(const Fields& root, const std::shared_ptr<const FolderModel>& model,
                    Scene& scene);
void read_work(const Fields& root, const std::shared_ptr<const FolderModel>& model, Scene& scene);
// Work of a variant's own, in place of the scene's.
void read_own_work(const Fields& variant, const std::shared_ptr<const FolderModel>& model,
                   Variant& row);
void read_leagues(const Fields& root, Scene& scene);
void read_presets(const Fields& root, Scene& scene);

// Whether a name can stand on a command line and in a key.
bool is_name(std::string_view text);
// Letters, digits and _, beginning with no digit: a name in expressions and a macro's.
bool is_identifier(std::string_view text);

}  // namespace warpscope::folder
