"""A classifier of scikit-learn's kind, fitted by skorch."""

import numpy as np
import torch
from skorch import NeuralNetClassifier

torch.manual_seed(0)
x = np.random.default_rng(0).standard_normal((40, 4)).astype(np.float32)
y = (x[:, 0] > 0).astype(np.int64)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
fitted = NeuralNetClassifier(
    net, criterion=torch.nn.CrossEntropyLoss, max_epochs=3, lr=0.1, verbose=0, train_split=None
)
fitted.fit(x, y)
print(*(row["train_loss"] for row in fitted.history), *fitted.predict_proba(x[:2]).ravel().tolist())
