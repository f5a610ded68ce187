package dev.outlast.spring;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Takes over calls of {@link Durable} methods, before other advice, such as that of transactions, begins. Proxies have the
 * interfaces of a bean, or are subclasses where it has none or {@code spring.aop.proxy-target-class} is true.
 */
class DurablePostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private static final long serialVersionUID = 1L;

    DurablePostProcessor() {
        setBeforeExistingAdvisors(true);
    }

    @Override public void setBeanFactory(BeanFactory factory) {
        super.setBeanFactory(factory);
        setProxyTargetClass(factory.getBean(Environment.class).getProperty("spring.aop.proxy-target-class", Boolean.class, false));
        AnnotationMatchingPointcut pointcut = AnnotationMatchingPointcut.forMethodAnnotation(Durable.class);
        advisor = new DefaultPointcutAdvisor(pointcut, new DurableInterceptor((ListableBeanFactory) factory));
    }
}
