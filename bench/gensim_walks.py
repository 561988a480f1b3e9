"""gensim's skip-gram on walks: uint32 arrays of walks x length, where the largest number fills those that end early."""
import numpy

NO_NODE = numpy.uint32(0xffffffff)


def sentences(walks, nodes):
    """Walks as gensim takes them: lists of names. Numbers would do for all but the draws of negatives, where gensim
    takes a number for a place in its vocabulary."""
    names = numpy.array([str(node) for node in range(nodes)], object)
    if walks.size and (walks[:, -1] == NO_NODE).any():
        return [names[walk[walk != NO_NODE]].tolist() for walk in walks]
    return names[walks].tolist()


def prepare(text, dim, window, workers, seed=1):
    """DeepWalk's and node2vec's skip-gram with 5 negatives: its vocabulary and its first vectors."""
    from gensim.models import Word2Vec
    model = Word2Vec(vector_size=dim, window=window, sg=1, hs=0, negative=5, sample=0, epochs=1, alpha=0.025,
                     min_alpha=0.0001, min_count=0, workers=workers, seed=seed)
    model.build_vocab(text)
    return model


def learn(model, text):
    """One pass over the sentences."""
    model.train(text, total_examples=model.corpus_count, epochs=1)


def train(text, dim, window, workers, seed):
    model = prepare(text, dim, window, workers, seed)
    learn(model, text)
    return model


def vectors(model, nodes):
    """Row u for node u; zeros for one that is in no sentence."""
    table = numpy.zeros((nodes, model.vector_size), numpy.float32)
    table[[int(name) for name in model.wv.index_to_key]] = model.wv.vectors
    return table
