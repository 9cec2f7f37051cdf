// Operations that are read, but not written, and decorations as attributes.
spirv.module Logical GLSL450 requires #spirv.vce<v1.5, [Shader, Kernel, Linkage, Groups, GroupNonUniformArithmetic, GroupNonUniformBallot, GroupNonUniformShuffle, GroupNonUniformClustered, Matrix], [SPV_KHR_storage_buffer_storage_class]> {
  spirv.GlobalVariable @place {location = 2 : i32} : !spirv.ptr<vector<4xf32>, Input>
  spirv.GlobalVariable @flat {flat, location = 3 : i32} : !spirv.ptr<i32, Input>
  spirv.GlobalVariable @buffer bind(0, 1) {aliased} : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32, stride=4> [0])>, StorageBuffer>
  spirv.GlobalVariable @group_id {built_in = "WorkgroupId"} : !spirv.ptr<vector<3xi32>, Input>
  spirv.SpecConstant @width spec_id(7) = 5 : i32

  spirv.func @bits(%a: vector<2xi32>, %b: vector<2xi32>, %n: i32) -> vector<2xi32> "None" {
    %0 = spirv.BitFieldInsert %a, %b, %n, %n : vector<2xi32>, i32, i32
    %1 = spirv.BitFieldSExtract %0, %n, %n : vector<2xi32>, i32, i32
    %2 = spirv.BitFieldUExtract %1, %n, %n : vector<2xi32>, i32, i32
    %3 = "spirv.IAdd"(%1, %2) : (vector<2xi32>, vector<2xi32>) -> vector<2xi32>
    spirv.ReturnValue %3 : vector<2xi32>
  }

  spirv.func @values(%v: vector<4xf32>, %x: f32, %n: i32) -> vector<4xf32> "None" {
    %0 = spirv.VectorTimesScalar %v, %x : (vector<4xf32>, f32) -> vector<4xf32>
    %1 = spirv.VectorInsertDynamic %x, %0[%n] : vector<4xf32>, i32
    %2 = spirv.GL.Ldexp %x : f32, %n : i32 -> f32
    %3 = spirv.GL.FMix %2 : f32, %x : f32, %x : f32 -> f32
    %4 = spirv.VectorInsertDynamic %3, %1[%n] : vector<4xf32>, i32
    spirv.ReturnValue %4 : vector<4xf32>
  }

  spirv.func @matrices(%m: !spirv.matrix<2 x vector<2xf32>>, %x: f32) -> !spirv.matrix<2 x vector<2xf32>> "None" {
    %0 = spirv.MatrixTimesScalar %m, %x : !spirv.matrix<2 x vector<2xf32>>, f32
    %1 = spirv.Transpose %0 : !spirv.matrix<2 x vector<2xf32>> -> !spirv.matrix<2 x vector<2xf32>>
    %2 = spirv.MatrixTimesMatrix %0, %1 : !spirv.matrix<2 x vector<2xf32>>, !spirv.matrix<2 x vector<2xf32>> -> !spirv.matrix<2 x vector<2xf32>>
    spirv.ReturnValue %2 : !spirv.matrix<2 x vector<2xf32>>
  }

  spirv.func @memory(%p: !spirv.ptr<i32, Workgroup>, %a: i32, %b: i32) -> i32 "None" {
    %0 = spirv.AtomicCompareExchange "Workgroup" "Release" "Acquire" %p, %a, %b : !spirv.ptr<i32, Workgroup>
    %1 = spirv.AtomicCompareExchangeWeak "Workgroup" "Release" "Acquire" %p, %a, %b : !spirv.ptr<i32, Workgroup>
    %2 = spirv.Variable : !spirv.ptr<i32, Function>
    %3 = spirv.Variable {aliased} : !spirv.ptr<i32, Function>
    spirv.CopyMemory "Function" %2, "Function" %3 : i32
    spirv.CopyMemory "Function" %2, "Function" %3 ["Aligned", 4], ["Volatile"] : i32
    %4 = spirv.IAdd %0, %1 : i32
    spirv.ReturnValue %4 : i32
  }

  spirv.func @groups(%x: f32, %n: i32, %c: i1) -> f32 "None" {
    %four = spirv.Constant 4 : i32
    %0 = spirv.GroupBroadcast <Workgroup> %x, %n : f32, i32
    %1 = spirv.GroupNonUniformBallot <Subgroup> %c : vector<4xi32>
    %2 = spirv.GroupNonUniformElect <Subgroup> : i1
    %3 = spirv.GroupNonUniformShuffleXor <Subgroup> %0, %n : f32, i32
    %4 = spirv.GroupNonUniformFAdd "Subgroup" "Reduce" %3 : f32
    %5 = spirv.GroupNonUniformIAdd "Subgroup" "ClusteredReduce" %n cluster_size(%four) : i32
    %6 = spirv.GroupNonUniformFMax "Subgroup" "InclusiveScan" %4 : f32
    spirv.ReturnValue %6 : f32
  }

  spirv.func @constants() -> i32 "None" {
    %0 = spirv.mlir.referenceof @width : i32
    %1 = spirv.Constant 3 : i32
    %2 = spirv.SpecConstantOperation wraps "spirv.IMul"(%0, %1) : (i32, i32) -> i32
    %3 = spirv.Constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32> : !spirv.array<2 x !spirv.array<2 x i32>>
    %4 = spirv.Constant dense<7> : tensor<2x2xi32> : !spirv.array<2 x !spirv.array<2 x i32>>
    spirv.ReturnValue %2 : i32
  }

  spirv.func @controls(%c: i1, %n: i32) -> () "None" {
    spirv.mlir.selection control(Flatten) {
      spirv.BranchConditional %c, ^then, ^merge
    ^then:
      %x = spirv.IAdd %n, %n : i32
      spirv.Branch ^merge
    ^merge:
      spirv.mlir.merge
    }
    spirv.mlir.loop control(DontUnroll) {
      spirv.Branch ^header
    ^header:
      spirv.BranchConditional %c, ^body, ^merge
    ^body:
      %x = spirv.ISub %n, %n : i32
      spirv.Branch ^continue
    ^continue:
      spirv.Branch ^header
    ^merge:
      spirv.mlir.merge
    }
    spirv.Return
  }
}
