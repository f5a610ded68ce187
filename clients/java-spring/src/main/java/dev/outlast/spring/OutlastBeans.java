package dev.outlast.spring;

import dev.outlast.OutlastClient;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Registers the beans, once, when those of the application are known. */
class OutlastBeans implements BeanDefinitionRegistryPostProcessor {
    @Override public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        register(registry, DurableRegistry.class);
        register(registry, DurablePostProcessor.class);
        register(registry, DurableWorker.class);
    }

    @Override public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        if (factory.getBeanNamesForType(OutlastClient.class, true, false).length == 0) {
            register((BeanDefinitionRegistry) factory, OutlastClientFactoryBean.class);
        }
    }

    private static void register(BeanDefinitionRegistry registry, Class<?> type) {
        if (registry.containsBeanDefinition(type.getName())) return;
        RootBeanDefinition bean = new RootBeanDefinition(type);
        bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        registry.registerBeanDefinition(type.getName(), bean);
    }
}
