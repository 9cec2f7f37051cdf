spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel, Addresses, Int64, Int8, Groups, Linkage], []> {
  spirv.GlobalVariable @id built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi64>, Input>
  spirv.SpecConstant @sc spec_id(42) = 0 : i32
  spirv.SpecConstant @sd spec_id(43) = 1.500000e+00 : f32
  spirv.SpecConstantComposite @cc (@sc, @sd) : !spirv.struct<(i32, f32)>
  spirv.func @add(%arg0: i32, %arg1: i32) -> i32 "None" {
    %0 = spirv.IAdd %arg0, %arg1 : i32
    spirv.ReturnValue %0 : i32
  }
  spirv.func @k(%arg0: !spirv.ptr<i32, CrossWorkgroup>, %arg1: !spirv.ptr<!spirv.struct<(i32, f32)>, CrossWorkgroup>) "None" {
    %id_addr = spirv.mlir.addressof @id : !spirv.ptr<vector<3xi64>, Input>
    %0 = spirv.mlir.referenceof @sc : i32
    %1 = spirv.mlir.referenceof @cc : !spirv.struct<(i32, f32)>
    %2 = spirv.Load "Input" %id_addr : vector<3xi64>
    %3 = spirv.CompositeExtract %2[0 : i32] : vector<3xi64>
    %4 = spirv.InBoundsPtrAccessChain %arg0[%3] : !spirv.ptr<i32, CrossWorkgroup>, i64
    %5 = spirv.Load "CrossWorkgroup" %4 ["Aligned", 4] : i32
    %cst0_i32 = spirv.Constant 0 : i32
    %cst-1_i32 = spirv.Constant -1 : i32
    %cst_f32 = spirv.Constant 1.500000e+00 : f32
    %6 = spirv.AccessChain %arg1[%cst0_i32] : !spirv.ptr<!spirv.struct<(i32, f32)>, CrossWorkgroup>, i32
    %7 = spirv.FunctionCall @add(%5, %0) : (i32, i32) -> i32
    %8 = spirv.SLessThan %7, %cst0_i32 : i32
    %9 = spirv.Select %8, %7, %cst0_i32 : i1, i32
    %10 = spirv.ConvertSToF %9 : i32 to f32
    %11 = spirv.CL.exp %10 : f32
    %12 = spirv.CL.fma %11, %10, %cst_f32 : f32
    %13 = spirv.CompositeInsert %12, %1[1 : i32] : f32 into !spirv.struct<(i32, f32)>
    %14 = spirv.CompositeConstruct %cst0_i32, %7 : (i32, i32) -> vector<2xi32>
    %cst_vec_2xi32 = spirv.Constant dense<[1, 2]> : vector<2xi32>
    %15 = spirv.IAdd %14, %cst_vec_2xi32 : vector<2xi32>
    %16 = spirv.ShiftLeftLogical %cst0_i32, %7 : i32, i32
    spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
    spirv.MemoryBarrier <Device>, <Acquire|CrossWorkgroupMemory>
    %17 = spirv.AtomicIAdd "Device" "None" %arg0, %cst0_i32 : !spirv.ptr<i32, CrossWorkgroup>
    spirv.Store "CrossWorkgroup" %4, %7 ["Aligned", 4] : i32
    %19 = spirv.VectorShuffle [1 : i32, 3 : i32] %14 : vector<2xi32>, %15 : vector<2xi32> -> vector<2xi32>
    %20 = spirv.VectorExtractDynamic %14[%cst0_i32] : vector<2xi32>, i32
    %21 = spirv.Bitcast %arg0 : !spirv.ptr<i32, CrossWorkgroup> to !spirv.ptr<f32, CrossWorkgroup>
    spirv.Return
  }
  spirv.EntryPoint "Kernel" @k, @id
  spirv.ExecutionMode @k "LocalSize", 8, 1, 1
  spirv.ExecutionMode @k "ContractionOff"
}
