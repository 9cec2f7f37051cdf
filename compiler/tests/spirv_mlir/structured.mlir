spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.func @selection(%cond: i1) -> () "None" {
    %zero = spirv.Constant 0: i32
    %one = spirv.Constant 1: i32
    %two = spirv.Constant 2: i32
    %x = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
    spirv.mlir.selection {
      spirv.BranchConditional %cond, ^then, ^else
    ^then:
      spirv.Store "Function" %x, %one : i32
      spirv.Branch ^merge
    ^else:
      spirv.Store "Function" %x, %two : i32
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
  spirv.func @loop(%count : i32) -> () "None" {
    %zero = spirv.Constant 0: i32
    %one = spirv.Constant 1: i32
    %var = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
    spirv.mlir.loop {
      spirv.Branch ^header
    ^header:
      %val0 = spirv.Load "Function" %var : i32
      %cmp = spirv.SLessThan %val0, %count : i32
      spirv.BranchConditional %cmp, ^body, ^merge
    ^body:
      spirv.Branch ^continue
    ^continue:
      %val1 = spirv.Load "Function" %var : i32
      %add = spirv.IAdd %val1, %one : i32
      spirv.Store "Function" %var, %add : i32
      spirv.Branch ^header
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
  spirv.func @foo() -> () "None" {
    %var = spirv.Variable : !spirv.ptr<i32, Function>
    spirv.mlir.selection {
      %true = spirv.Constant true
      spirv.BranchConditional %true, ^true, ^false
    ^true:
      %zero = spirv.Constant 0 : i32
      spirv.Branch ^phi(%zero: i32)
    ^false:
      %one = spirv.Constant 1 : i32
      spirv.Branch ^phi(%one: i32)
    ^phi(%arg: i32):
      spirv.Store "Function" %var, %arg : i32
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
}
