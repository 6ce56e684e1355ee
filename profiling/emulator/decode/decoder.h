// profiling/emulator/decode/decoder.h: a function of a module to instructions on slots; calls
// inlined.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

struct MatrixShape;
struct VideoOperation;
struct WarpgroupProduct;
enum class AsyncBarrierOperation : std::uint8_t;
enum class AtomicOperation : std::uint8_t;
enum class AtomicType : std::uint8_t;

// An instruction that cannot be decoded becomes a trap that carries its text: the kernel opens all
// the same, and the fault names line and opcode if it is reached.
class Decoder {
 public:
  Decoder(const PtxModule& module, std::string main_file)
      : module_(module), main_file_(std::move(main_file)) {}
  std::shared_ptr<KernelCode> decode(const PtxFunction& entry);

 private:
  struct Register {
    std::uint32_t slot = 0;
    std::uint8_t bytes = 0;  // 0: predicate, 4 or 8
  };
  struct RegisterRange {  // %r<20>
    std::uint8_t bytes = 0;
    std::vector<std::uint32_t> slots;  // 0: not used yet
  };
  struct Symbol {
    AddressSpace space = AddressSpace::generic;
    std::int64_t offset = 0, bytes = 0;
    std::int32_t variable = -1;  // in memory: index in PtxModule::variables
    bool dynamic = false;        // extern shared
    bool parameter = false;      // of a call: local memory that is not traced
  };
  struct Scope {
    std::uint32_t number = 0;  // in the frame
    std::unordered_map<std::string_view, Register> single;
    std::unordered_map<std::string_view, RegisterRange> ranges;
    std::unordered_map<std::string_view, Symbol> symbols;
  };
  // One function being decoded: the entry, or a call inside it.
  struct Frame {
    const PtxFunction* function = nullptr;
    std::vector<Scope> scopes{1};
    std::vector<std::uint32_t> outer_scopes{0};  // of each scope by number, also of closed ones
    // Labels belong to the scope they stand in: text that was inlined twice has them twice.
    std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> labels;
    std::unordered_map<std::string_view, const PtxStatement*> tables;
    struct Jump {
      std::uint32_t pc = 0;
      std::string_view label;
      std::uint32_t scope = 0;
    };
    // Null: there is no such label in the scope of the jump or around it.
    const std::uint32_t* target_of(const Jump& jump) const;
    std::vector<Jump> jumps;
    std::vector<Jump> table_jumps;       // pc: index in KernelCode::targets
    std::vector<std::uint32_t> returns;  // branches to the end of the frame
    int depth = 0;
    const Frame* outer = nullptr;                    // that it is called from
    std::vector<SourcePosition> called_from;         // innermost first
    std::map<std::uint32_t, std::uint32_t> sources;  // position → key of `places_`
  };
  struct Place {
    SourcePosition position;
    std::vector<SourcePosition> inlined_at;
    int line_index = -1;
  };
  // The parts of an opcode.
  struct Name {
    std::vector<std::string_view> parts;
    bool has(std::string_view part) const;
    std::string_view base() const { return parts.front(); }
    std::string_view type() const { return parts.back(); }
  };

  // functions.cpp
  void body(Frame& frame);
  void set_targets(const Frame& frame, std::uint32_t end_pc);
  void declare(Frame& frame, const PtxStatement& s);
  void variable(Frame& frame, const PtxVariable& v, std::int32_t index);
  const Place& place(Frame& frame, std::uint32_t position);
  SourcePosition shown(const PtxPosition& position) const;
  void finish(const PtxFunction& entry);
  // statement.cpp
  void instruction(Frame& frame, const PtxStatement& s);
  void decode_one(const PtxStatement& s, const Name& name);
  const PtxOperand& operand(const PtxStatement& s, std::uint32_t k);
  bool problem(std::string what);  // false, and the instruction becomes a trap
  // Adds an instruction with the guard of the statement; only the first of a statement counts.
  Instruction& emit(Instruction i);
  Instruction& emit_row(const std::string& name, std::uint32_t d, std::uint32_t a,
                        std::uint32_t b = 0, std::uint32_t c = 0);
  // branches_and_calls.cpp
  void control(const PtxStatement& s, const Name& name);
  void call(const PtxStatement& s);
  void system_call(bool prints, const std::vector<PtxOperand>& results,
                   const std::vector<PtxOperand>& arguments);
  const PtxFunction* callable(std::string_view callee, std::size_t results, std::size_t arguments);
  bool may_call(const PtxFunction& f);
  int calls_of(const PtxFunction& f, const std::vector<const PtxFunction*>& list) const;
  Symbol passed(const std::vector<PtxOperand>& list, std::size_t k);
  bool pass(const PtxFunction& f, const std::vector<PtxOperand>& results,
            const std::vector<PtxOperand>& arguments, Frame& inner);
  void indirect_call(std::uint32_t address, const std::vector<PtxOperand>& results,
                     const std::vector<PtxOperand>& arguments);
  // Functions whose addresses the module takes, that a call which passes these may mean.
  std::vector<const PtxFunction*> callable_indirectly(const std::vector<PtxOperand>& results,
                                                      const std::vector<PtxOperand>& arguments);
  void put_in_place(Frame& inner);
  // What the instructions of a statement, from one on, do with values that nobody wrote.
  void note_undefined_uses(const PtxStatement& s, std::size_t first);
  // operands.cpp
  std::uint32_t new_slot(int bytes);
  std::uint32_t constant(int bytes, std::uint64_t value);
  std::uint32_t special(SpecialRegister which, int bytes = 4);
  const Register* find_register(std::string_view name, Register& found);
  const Symbol* find_symbol(std::string_view name);
  std::uint32_t symbol_address(const Symbol& symbol, std::int64_t addend, int bytes);
  std::uint32_t source(const PtxOperand& o, OperandType type);
  std::uint32_t source_predicate(const PtxOperand& o, bool* negated);
  std::uint32_t destination(const PtxOperand& o, OperandType type);
  std::uint32_t destination_named(std::string_view name, OperandType type);
  bool special_register(std::string_view name, int bytes, std::uint32_t& slot);
  // A memory operand: slot, offset and space of the address.
  bool address(const PtxOperand& o, Instruction& i);
  // Notes the shared array that the address of the statement at hand was made from.
  void note_shared_array(const PtxOperand& o);
  std::vector<PtxOperand> parts_of(const PtxOperand& o) const;
  bool not_known(std::string what, const PtxOperand& o);  // a problem, with the operand's name
  // Whether the function at hand names a result's register anywhere else.
  bool is_read(std::string_view result);
  // Whether an operand of the function at hand may differ between the lanes of a warp.
  bool differs_by_lane(const PtxOperand& o);
  // arithmetic.cpp
  void arithmetic(const PtxStatement& s, const Name& name);
  void comparison(const PtxStatement& s, const Name& name);
  void packed_comparison(const PtxStatement& s, const Name& name);
  void combined_comparison(const PtxStatement& s, const std::string& combine, Instruction i,
                           std::uint32_t first);
  void carry(const PtxStatement& s, const Name& name);
  // conversions.cpp
  void conversion(const PtxStatement& s, const Name& name);
  void narrow_conversion(const PtxStatement& s, const Name& name);
  void conversion_by_row(const PtxStatement& s, const std::string& key, Rounding rounding);
  void emit_widened(Instruction i, std::uint32_t wide, Number to, bool is_signed);
  void move(const PtxStatement& s, const Name& name);
  void pack_parts(const PtxOperand& to, const std::vector<PtxOperand>& parts, int bytes);
  void unpack_parts(const std::vector<PtxOperand>& parts, const PtxOperand& from, int bytes);
  void address_conversion(const PtxStatement& s, const Name& name);
  void cluster_address(const PtxStatement& s, const Name& name);
  // collectives.cpp
  void barrier(const PtxStatement& s, const Name& name);
  void cluster_barrier(const Name& name);
  void collective(const PtxStatement& s, const Name& name);
  void shuffle(const PtxStatement& s, const Name& name, Instruction& i);
  void vote(const PtxStatement& s, const Name& name, Instruction& i);
  void match(const PtxStatement& s, const Name& name, Instruction& i);
  void reduce(const PtxStatement& s, const Name& name, Instruction& i);
  std::uint32_t second_result(const PtxOperand& result);
  // async.cpp
  void async_copy(const PtxStatement& s, const Name& name);
  void widen_address(Instruction& i);
  std::uint32_t source_bytes(const PtxStatement& s, const Name& name, std::int64_t width);
  void async_barrier(const PtxStatement& s, const Name& name);
  static AsyncBarrierOperation barrier_operation_of(const Name& name);
  void arrive_after_copies(const PtxStatement& s, const Name& name);
  // bulk.cpp
  void bulk_copy(const PtxStatement& s, const Name& name);
  bool is_known_bulk(const Name& name);
  void bulk_group(const PtxStatement& s, const Name& name);
  void bulk_prefetch(const PtxStatement& s, const Name& name);
  bool take_reduction(const Name& name, Instruction& i);
  bool take_bulk_operands(const PtxStatement& s, const Name& name, bool to_shared, bool from_shared,
                          Instruction& i);
  // The slot of an address that names global memory or a tensor map.
  bool take_global(PtxOperand where, bool tensor, Instruction& address,
                   std::vector<PtxOperand>& coordinates, std::string_view shape);
  void emit_bulk(Instruction i, const std::array<std::uint32_t, 4>& slots,
                 const std::vector<PtxOperand>& coordinates);
  void store_async(const PtxStatement& s, const Name& name);
  void tensor_map_edit(const PtxStatement& s, const Name& name);
  bool take_coordinates(std::string_view shape, PtxOperand& from,
                        std::vector<PtxOperand>& coordinates);
  // matrix.cpp
  void matrix(const PtxStatement& s, const Name& name);
  void copy_matrices(const PtxStatement& s, const Name& name);
  void wmma(const PtxStatement& s, const Name& name);
  void copy_fragment(const PtxStatement& s, const Name& name, const MatrixShape& shape);
  bool take_types(const Name& name, MatrixShape& shape);
  void transpose_matrix(const PtxStatement& s, const Name& name);
  // video/decoding.cpp
  static bool is_video(const Name& name);
  void video(const PtxStatement& s, const Name& name);
  bool take_video_name(const Name& name, VideoOperation& op);
  bool take_video_parts(const PtxStatement& s, VideoOperation& op);
  void pack_saturated(const PtxStatement& s, const Name& name);
  // warpgroup.cpp
  void warpgroup(const PtxStatement& s, const Name& name);
  void product(const PtxStatement& s, const Name& name);
  bool take_product(const Name& name, WarpgroupProduct& product);
  void set_registers(const PtxStatement& s, const Name& name);
  void note_registers(const PtxStatement& s, const Name& name);
  // memory.cpp
  void load_store(const PtxStatement& s, const Name& name);
  Instruction load_store_of(const Name& name);
  // A bit for each element of a loaded vector that no instruction uses.
  std::uint8_t unused_elements(const std::vector<PtxOperand>& values);
  void load_parameter(const PtxStatement& s, const Name& name, const Symbol& symbol);
  void atomic(const PtxStatement& s, const Name& name);
  void merge_lanes(const PtxOperand& where, const std::vector<PtxOperand>& values,
                   std::string_view type, Instruction& i);
  void emit_fenced(const Instruction& i, const Name& name, bool before, bool after);
  static std::optional<AtomicOperation> atomic_operation_of(std::string_view part);
  static std::optional<AtomicType> atomic_type_of(std::string_view type);
  static std::optional<AddressSpace> space_of(std::string_view part);
  static Space traced_space(AddressSpace space);
  void add_site(Instruction& i, Space space, AccessKind kind, int width);

  const PtxModule& module_;
  std::string main_file_, folder_;
  std::shared_ptr<KernelCode> kernel_;
  Frame* frame_ = nullptr;
  std::vector<Frame*> frames_;
  std::map<std::pair<int, std::uint64_t>, std::uint32_t> constants_;
  std::map<std::pair<int, int>, std::uint32_t> specials_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> parameter_slots_;
  std::map<std::int32_t, Symbol> module_symbols_;
  std::unordered_map<std::string_view, std::int32_t> module_names_;
  std::unordered_map<std::string_view, const PtxFunction*> functions_;
  // How often a function's instructions name a register, of those with atomics.
  std::map<const PtxFunction*, std::unordered_map<std::string_view, int>> mentions_;
  std::map<const PtxFunction*, std::unordered_set<std::string_view>> lane_dependent_;
  std::map<const PtxFunction*, std::unordered_map<std::string_view, std::string_view>> provenance_;
  // For each function that calls itself: how many such calls it makes.
  std::map<const PtxFunction*, double> recursive_calls_;
  std::map<const PtxFunction*, std::unordered_set<std::string_view>> guarded_;
  std::optional<std::unordered_set<std::string_view>> addresses_taken_;  // of functions
  std::map<std::uint32_t, std::string_view> shared_symbols_;             // by source; "": dynamic
  struct DynamicSlot {
    std::uint32_t slot = 0;
    int bytes = 8;
    std::int64_t addend = 0;
  };
  std::vector<DynamicSlot> dynamic_slots_;
  std::int64_t dynamic_alignment_ = 16;
  std::int64_t declared_ = 0;   // registers, of all frames
  std::size_t text_bytes_ = 0;  // of opcodes and positions
  std::vector<Place> places_;
  std::map<std::pair<std::string, int>, int> line_indices_;
  std::uint32_t carry_slot_ = 0;
  bool has_products_ = false;  // the module has wgmma.mma_async
  // For the current statement.
  std::string problem_;
  std::uint32_t guard_ = 0, guard_flip_ = 0, source_ = 0;
  bool counted_ = false;
  std::uint32_t position_ = 0;
};

}  // namespace warpscope
