// tests/emulator/corpus/corpus_code.cpp: a text of kernels, run as PTX or as machine code.
#include "tests/emulator/corpus/corpus_code.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include <utility>

#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/listings/kernel_name.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"

namespace warpscope {

Result<CorpusCode> CorpusCode::read(const std::string& name, const std::string& text,
                                    EmulatedAs as) {
  CompileRequest request{name, {}, 90};
  const Result<CompiledPtx> ptx = compile_to_ptx(request, text);
  if (!ptx) return tl::unexpected(ptx.error());
  Result<Program> program = Program::parse(ptx->ptx, name);
  if (!program) return tl::unexpected(program.error());
  CorpusCode code(as, std::move(*program));
  code.name_ = name;
  if (as == EmulatedAs::ptx) return code;
  if (const auto disassembler = find_disassembler(); !disassembler)
    return tl::unexpected(disassembler.error());
  request.compute_capability = architecture_of(as);
  const Result<Compiled> machine = compile(request, {kernel_source(name, text)});
  if (!machine) return tl::unexpected(machine.error());
  code.cubin_ = machine->cubin;
  return code;
}

const Result<CorpusCode>& CorpusCode::of_file(const std::string& name, EmulatedAs as) {
  static std::map<std::pair<std::string, EmulatedAs>, Result<CorpusCode>> made;
  const auto found = made.find({name, as});
  if (found != made.end()) return found->second;
  const Result<std::string> text =
      read_input(source_folder() / "tests/emulator/corpus" / name, kMostTextFileBytes);
  Result<CorpusCode> code = text ? read(name, *text, as) : tl::unexpected(text.error());
  return made.emplace(std::pair(name, as), std::move(code)).first->second;
}

Result<const MachineProgram*> CorpusCode::machine_program(const std::string& symbol) const {
  if (const auto found = programs_.find(symbol); found != programs_.end()) return &found->second;
  const Result<std::string> text = disassemble_function(cubin_, symbol, Disassembly::code);
  if (!text) return tl::unexpected(text.error());
  Result<MachineProgram> program = MachineProgram::read(cubin_, *text, symbol, name_);
  if (!program) return tl::unexpected(program.error());
  if (!program->unknown().empty())
    return failure(ErrorKind::input, program->unknown().front(), symbol);
  return &programs_.emplace(symbol, std::move(*program)).first->second;
}

Result<EmulatedRun> CorpusCode::run(const std::string& expression, const Launch& launch,
                                    Bench& bench) const {
  bench.options.compute_capability = 90;
  const std::string symbol = symbol_of(entries_, expression);
  if (as_ == EmulatedAs::ptx)
    return emulate(module_, symbol, launch, bench.arguments, bench.memory, bench.options);
  const Result<const MachineProgram*> program = machine_program(symbol);
  if (!program) return tl::unexpected(program.error());
  return emulate(**program, module_, launch, bench.arguments, bench.memory, bench.options);
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
