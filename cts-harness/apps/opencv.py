"""OpenCV's operations on UMat (OpenCL) against the same on Mat (the CPU), on pseudo-random images."""

import sys

import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
device = cv2.ocl.Device.getDefault()
if not cv2.ocl.useOpenCL():
    sys.exit("no OpenCL")
print(device.name(), device.OpenCLVersion(), "OpenCV", cv2.__version__)

random = np.random.default_rng(7)
H, W = 161, 203


def smooth(channels, seed):
    noise = np.random.default_rng(seed).integers(0, 256, (H, W, channels), dtype=np.uint8)
    return np.ascontiguousarray(cv2.GaussianBlur(noise, (0, 0), 3).reshape(H, W, channels))


gray = smooth(1, 1)[:, :, 0].copy()
other = smooth(1, 2)[:, :, 0].copy()
bgr = smooth(3, 3)
bgra = cv2.cvtColor(bgr, cv2.COLOR_BGR2BGRA)
real = (gray.astype(np.float32) / 255.0).copy()
real2 = (other.astype(np.float32) / 255.0 + 0.1).copy()
mask = (gray > 128).astype(np.uint8) * 255
table = random.integers(0, 256, 256, dtype=np.uint8)
kernel = np.ones((3, 3), np.uint8)
map_x = (random.random((H, W)) * (W + 20) - 10).astype(np.float32)
map_y = (random.random((H, W)) * (H + 20) - 10).astype(np.float32)
turn = cv2.getRotationMatrix2D((W / 2, H / 2), 23, 0.9)
view = np.array([[1, 0.1, -5], [0.05, 0.9, 3], [1e-4, 2e-4, 1]])

A, B = cv2.INTER_AREA, cv2.INTER_LINEAR
# Name, operation, inputs, and how far a value may be off: (most, share of values that may be further off).
EXACT, ROUNDED, CLOSE = (0, 0), (1, 0), (1e-4, 0)
OPERATIONS = [
    ("add", cv2.add, (gray, other), EXACT),
    ("subtract", cv2.subtract, (gray, other), EXACT),
    ("multiply", lambda a, b: cv2.multiply(a, b, scale=1 / 255), (gray, other), ROUNDED),
    ("divide", cv2.divide, (real, real2), CLOSE),
    ("absdiff", cv2.absdiff, (bgr, cv2.flip(bgr, 1)), EXACT),
    ("addWeighted", lambda a, b: cv2.addWeighted(a, 0.3, b, 0.7, 5), (gray, other), ROUNDED),
    ("bitwise_and", cv2.bitwise_and, (gray, other), EXACT),
    ("bitwise_not", cv2.bitwise_not, (bgra,), EXACT),
    ("min", cv2.min, (gray, other), EXACT),
    ("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (gray, other), EXACT),
    ("inRange", lambda a: cv2.inRange(a, (90, 90, 90), (140, 140, 140)), (bgr,), EXACT),
    ("threshold", lambda a: cv2.threshold(a, 120, 200, cv2.THRESH_BINARY)[1], (gray,), EXACT),
    ("adaptiveThreshold", lambda a: cv2.adaptiveThreshold(a, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2),
     (gray,), EXACT),
    ("LUT", cv2.LUT, (gray, table), EXACT),
    ("sqrt", cv2.sqrt, (real,), CLOSE),
    ("exp", cv2.exp, (real,), CLOSE),
    ("log", cv2.log, (real2,), CLOSE),
    ("pow", lambda a: cv2.pow(a, 2.5), (real,), CLOSE),
    ("magnitude", cv2.magnitude, (real, real2), CLOSE),
    ("phase", lambda a, b: cv2.phase(a, b), (real, real2), (1e-2, 0)),
    ("flip", lambda a: cv2.flip(a, -1), (bgr,), EXACT),
    ("transpose", cv2.transpose, (bgra,), EXACT),
    ("repeat", lambda a: cv2.repeat(a, 2, 3), (gray,), EXACT),
    ("copyMakeBorder", lambda a: cv2.copyMakeBorder(a, 3, 4, 5, 6, cv2.BORDER_REFLECT_101), (bgr,), EXACT),
    ("merge", lambda a, b: cv2.merge([a, b, a]), (gray, other), EXACT),
    ("extractChannel", lambda a: cv2.extractChannel(a, 1), (bgr,), EXACT),
    ("normalize", lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX, cv2.CV_32F), (gray,), CLOSE),
    ("gemm", lambda a, b: cv2.gemm(a, cv2.transpose(b), 1.5, None, 0), (real, real2), (2e-3, 0)),
    ("resize-linear", lambda a: cv2.resize(a, (317, 95), interpolation=B), (bgr,), ROUNDED),
    ("resize-area", lambda a: cv2.resize(a, (101, 80), interpolation=A), (gray,), ROUNDED),
    ("resize-cubic", lambda a: cv2.resize(a, (300, 200), interpolation=cv2.INTER_CUBIC), (real,), (1e-3, 0)),
    ("warpAffine-nearest", lambda a: cv2.warpAffine(a, turn, (W, H), flags=cv2.INTER_NEAREST), (gray,), (0, 0.01)),
    ("warpAffine-linear", lambda a: cv2.warpAffine(a, turn, (W, H)), (gray,), (2, 0.01)),
    ("warpPerspective", lambda a: cv2.warpPerspective(a, view, (W, H)), (gray,), (2, 0.01)),
    ("remap", lambda a, x, y: cv2.remap(a, x, y, B), (real, map_x, map_y), (2e-2, 0.01)),
    ("pyrDown", cv2.pyrDown, (bgr,), ROUNDED),
    ("pyrUp", cv2.pyrUp, (gray,), ROUNDED),
    ("blur", lambda a: cv2.blur(a, (5, 3)), (bgr,), ROUNDED),
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (gray,), ROUNDED),
    ("GaussianBlur-float", lambda a: cv2.GaussianBlur(a, (9, 9), 2), (real,), CLOSE),
    ("medianBlur", lambda a: cv2.medianBlur(a, 5), (gray,), EXACT),
    ("bilateralFilter", lambda a: cv2.bilateralFilter(a, 7, 30, 5), (gray,), (2, 0.01)),
    ("filter2D", lambda a: cv2.filter2D(a, cv2.CV_32F, np.array([[1, 2, -1], [0, 3, 0], [-2, 1, 1]], np.float32)), (real,),
     CLOSE),
    ("sepFilter2D", lambda a: cv2.sepFilter2D(a, cv2.CV_32F, np.array([1, 2, 1.5]), np.array([-1, 0, 1.0])), (gray,), (1e-2, 0)),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0, ksize=3), (gray,), EXACT),
    ("Scharr", lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (real,), CLOSE),
    ("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=3), (real,), CLOSE),
    ("erode", lambda a: cv2.erode(a, kernel, iterations=2), (gray,), EXACT),
    ("morphologyEx", lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, kernel), (bgr,), EXACT),
    ("Canny", lambda a: cv2.Canny(a, 5, 15), (gray,), (0, 0.01)),
    ("BGR2GRAY", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (bgr,), ROUNDED),
    ("BGR2HSV", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), (bgr,), (1, 0.01)),
    ("BGR2Lab", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2Lab), (bgr,), (2, 0.01)),
    ("BGR2YCrCb", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YCrCb), (bgr,), ROUNDED),
    ("equalizeHist", cv2.equalizeHist, (gray,), ROUNDED),
    ("CLAHE", lambda a: cv2.createCLAHE(2.0, (8, 8)).apply(a), (gray,), (1, 0.01)),
    ("calcHist", lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), (gray,), EXACT),
    ("matchTemplate", lambda a, t: cv2.matchTemplate(a, t, cv2.TM_CCORR_NORMED), (gray, gray[20:40, 30:60].copy()), (1e-3, 0)),
    ("integral", lambda a: cv2.integral(a), (gray,), EXACT),
    ("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (real,), (0.05, 0)),
    ("sum", lambda a: np.array(cv2.sumElems(a)), (bgr,), EXACT),
    ("countNonZero", lambda a: np.array(cv2.countNonZero(a)), (mask,), EXACT),
    ("minMaxLoc", lambda a: np.array(cv2.minMaxLoc(a)[:2]), (real,), EXACT),
    ("norm", lambda a, b: np.array(cv2.norm(a, b, cv2.NORM_L2)), (real, real2), (1e-3, 0)),
    ("opticalFlow", lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 2, 11, 2, 5, 1.1, 0),
     (gray, np.roll(gray, 2, 1)), (0.05, 0.02)),
]

for name, operation, inputs, (most, share) in OPERATIONS:
    try:
        expected = np.asarray(operation(*inputs), dtype=np.float64)
        got = operation(*(cv2.UMat(i) for i in inputs))
        got = np.asarray(got.get() if isinstance(got, cv2.UMat) else got, dtype=np.float64)
        if got.shape != expected.shape:
            # Vectors may lose a dimension of 1.
            got = got.reshape(expected.shape)
        off = np.abs(got - expected)
        far = np.count_nonzero(~(off <= most))
        if far <= share * off.size:
            print(f"PASS {name}", flush=True)
        else:
            print(f"FAIL {name}\n{far} of {off.size} values are off, by {off.max()} at most", flush=True)
    except Exception as e:  # noqa: BLE001
        print(f"FAIL {name}\n{e}", flush=True)
