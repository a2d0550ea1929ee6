"""Image models with torchvision's names, parameters and initialization. Pretrained weights are not downloaded."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.vision.models import segmentation
from rushlight.vision.models.alexnet import *
from rushlight.vision.models.convnext import *
from rushlight.vision.models.densenet import *
from rushlight.vision.models.efficientnet import *
from rushlight.vision.models.googlenet import *
from rushlight.vision.models.inception import *
from rushlight.vision.models.mnasnet import *
from rushlight.vision.models.mobilenetv2 import *
from rushlight.vision.models.mobilenetv3 import *
from rushlight.vision.models.registry import *
from rushlight.vision.models.registry import WEIGHTS as _WEIGHTS
from rushlight.vision.models.regnet import *
from rushlight.vision.models.resnet import *
from rushlight.vision.models.shufflenetv2 import *
from rushlight.vision.models.squeezenet import *
from rushlight.vision.models.swin_transformer import *
from rushlight.vision.models.swin_transformer_v2 import *
from rushlight.vision.models.vgg import *
from rushlight.vision.models.vision_transformer import *

globals().update(_WEIGHTS)
_explain_misses(globals())
